// All evacuations, newest first.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Truck } from "lucide-react";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { useHostNames } from "../../components/hostNames.js";
import { ButtonLink, TextLink } from "../../components/links.js";
import { Meter } from "../../components/Meter.js";
import { Page } from "../../components/Page.js";
import { Status } from "../../components/Status.js";
import { Table, type Column } from "../../components/Table.js";
import { EvacuationsDocument, type EvacuationRowFragment } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { texts } from "../../texts/evacuations.js";

export function Evacuations() {
  const { page = 1, perPage = DEFAULT_PER_PAGE } = useSearch({ from: "/shell/evacuations" });
  const navigate = useNavigate({ from: "/evacuations" });
  const { nameOf } = useHostNames();
  const live = useLive({ query: EvacuationsDocument, variables: { page, perPage }, kinds: ["RUN", "MIGRATION"] });
  return (
    <Page
      title={texts.title}
      readAt={live.readAt}
      actions={
        <ButtonLink to="/evacuations/new" leftSection={<Truck size={14} aria-hidden />}>
          {texts.evacuateHost}
        </ButtonLink>
      }
    >
      <Answer live={live} lines={8}>
        {({ evacuations }) => (
          <Table
            rows={evacuations.items}
            columns={columns(nameOf)}
            empty={texts.empty}
            onOpen={({ id }) => void navigate({ to: "/evacuations/$id", params: { id: String(id) } })}
            paging={{
              page,
              perPage,
              total: evacuations.meta.total,
              onPage: (next) => void navigate({ search: (before) => ({ ...before, page: next }) }),
              onPerPage: (next) => void navigate({ search: { perPage: next } }),
            }}
          />
        )}
      </Answer>
    </Page>
  );
}

const columns = (nameOf: (hostId: number | null) => string): Column<EvacuationRowFragment>[] => [
  {
    accessor: "hostId",
    title: texts.columns.evacuated,
    render: ({ id, hostId, node }) => (
      <TextLink to="/evacuations/$id" params={{ id: String(id) }} fw={500}>
        {nameOf(hostId)}
        {node !== null && ` / ${node}`}
      </TextLink>
    ),
  },
  {
    accessor: "targetHostId",
    title: texts.columns.target,
    render: ({ targetHostId, targetNode }) =>
      targetHostId === null ? texts.automaticPlacement : [nameOf(targetHostId), targetNode].filter(Boolean).join(" / "),
  },
  { accessor: "status", title: texts.columns.status, render: ({ status }) => <Status value={status} work /> },
  {
    accessor: "progress",
    title: texts.columns.processed,
    render: ({ progress, done, total }) => (
      <Meter label={texts.columns.processed} value={progress} figure={texts.processed(done, total)} limit={2} />
    ),
  },
  {
    accessor: "startedAt",
    title: texts.columns.started,
    render: ({ startedAt }) => <Age at={startedAt} never={texts.waiting} />,
  },
  {
    accessor: "finishedAt",
    title: texts.columns.finished,
    render: ({ finishedAt }) => <Age at={finishedAt} never="–" />,
  },
];
