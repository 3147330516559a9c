// Every API request, refused ones included, newest first.
import { Badge, Button, Select } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { useQuery } from "urql";
import { useLive, useNews } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { Filters, isNarrowed } from "../../components/Filters.js";
import { Hint } from "../../components/Hint.js";
import { Page } from "../../components/Page.js";
import { Table, type Column } from "../../components/Table.js";
import { TypedText } from "../../components/TypedText.js";
import { dayAndTime, wholeMoment } from "../../format.js";
import { ApiTokensDocument, RequestLogDocument, type RequestLogQuery } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { texts } from "../../texts/requests.js";

const ANSWERS = {
  ok: { label: texts.results.ok, statusMax: 399 },
  refused: { label: texts.results.refused, statusMin: 400, statusMax: 499 },
  failed: { label: texts.results.failed, statusMin: 500 },
} as const;
type Answered = keyof typeof ANSWERS;
const KINDS: readonly Answered[] = ["ok", "refused", "failed"];

export function Requests() {
  const {
    page = 1,
    perPage = DEFAULT_PER_PAGE,
    path,
    sourceIp,
    tokenId,
    answers,
  } = useSearch({ from: "/shell/requests" });
  const navigate = useNavigate({ from: "/requests" });
  const [{ data: tokens }] = useQuery({ query: ApiTokensDocument });
  const { label: _label, ...statuses } = answers === undefined ? { label: "" } : ANSWERS[answers];
  const filter = {
    ...statuses,
    ...(path === undefined ? {} : { path }),
    ...(sourceIp === undefined ? {} : { sourceIp }),
    ...(tokenId === undefined ? {} : { tokenId }),
  };
  const live = useLive({ query: RequestLogDocument, variables: { filter, page, perPage }, kinds: [] });
  return (
    <Page
      title={texts.title}
      readAt={live.readAt}
      actions={<ReadAgain key={JSON.stringify([filter, page, perPage])} refresh={live.refresh} />}
    >
      <Filters>
        <TypedText
          label={texts.path}
          value={path ?? ""}
          pageSearch
          onSettled={(text) =>
            void navigate({
              search: (before) => ({ ...before, path: text || undefined, page: undefined }),
              replace: true,
            })
          }
        />
        <TypedText
          label={texts.sourceIp}
          width={150}
          value={sourceIp ?? ""}
          onSettled={(text) =>
            void navigate({
              search: (before) => ({ ...before, sourceIp: text || undefined, page: undefined }),
              replace: true,
            })
          }
        />
        <Select
          aria-label={texts.token}
          placeholder={texts.anyToken}
          clearable
          w={190}
          data={(tokens?.apiTokens ?? []).map(({ id, name, prefix }) => ({
            value: String(id),
            label: texts.tokenChoice(name, prefix),
          }))}
          value={tokenId === undefined ? null : String(tokenId)}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, tokenId: value === null ? undefined : Number(value), page: undefined }),
            })
          }
        />
        <Select
          aria-label={texts.result}
          placeholder={texts.anyResult}
          clearable
          w={140}
          data={KINDS.map((value) => ({ value, label: ANSWERS[value].label }))}
          value={answers ?? null}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, answers: KINDS.find((each) => each === value), page: undefined }),
            })
          }
        />
      </Filters>
      <Answer live={live} lines={14}>
        {({ requestLog }) => (
          <Table
            rows={requestLog.items}
            columns={COLUMNS}
            empty={isNarrowed(filter) ? texts.noMatch : texts.empty}
            paging={{
              page,
              perPage,
              total: requestLog.meta.total,
              onPage: (next) => void navigate({ search: (before) => ({ ...before, page: next }) }),
              onPerPage: (next) =>
                void navigate({ search: (before) => ({ ...before, perPage: next, page: undefined }) }),
            }}
          />
        )}
      </Answer>
    </Page>
  );
}

/** Lines must not move away under the eyes: that there are newer ones is said, and they come when they are asked for. */
function ReadAgain({ refresh }: { readonly refresh: () => void }) {
  const [newer, setNewer] = useState(false);
  useNews("REQUEST", () => setNewer(true));
  const read = (): void => {
    setNewer(false);
    refresh();
  };
  return (
    <Button
      variant={newer ? "light" : "default"}
      miw={170}
      leftSection={<RefreshCw size={14} aria-hidden />}
      onClick={read}
    >
      <span aria-live="polite">{newer ? texts.showNewer : texts.refresh}</span>
    </Button>
  );
}

const COLUMNS: Column<RequestLogQuery["requestLog"]["items"][number]>[] = [
  {
    accessor: "at",
    title: texts.columns.time,
    width: 150,
    cellsClassName: "number",
    render: ({ at }) => <Hint label={wholeMoment(at)}>{dayAndTime(at)}</Hint>,
  },
  {
    accessor: "status",
    title: texts.columns.status,
    width: 80,
    render: ({ status }) => <Badge color={colorOf(status)}>{status}</Badge>,
  },
  { accessor: "method", title: texts.columns.method, width: 80 },
  { accessor: "path", title: texts.columns.path, cellsClassName: "mono" },
  {
    accessor: "durationMs",
    title: texts.columns.duration,
    textAlign: "right",
    width: 90,
    cellsClassName: "number",
    render: ({ durationMs }) =>
      texts.milliseconds(durationMs < 10 ? durationMs.toFixed(1) : String(Math.round(durationMs))),
  },
  { accessor: "sourceIp", title: texts.columns.sourceIp, cellsClassName: "mono" },
  { accessor: "tokenName", title: texts.columns.token, render: ({ tokenName }) => tokenName ?? "–" },
];

function colorOf(status: number): string {
  if (status >= 500) return "red";
  return status >= 400 ? "yellow" : "teal";
}
