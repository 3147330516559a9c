// Hot nodes and the moves that would cool them; nothing moves by itself.
import { Alert, Button, Grid, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer, Nothing } from "../../components/Answer.js";
import { guestAddress } from "../../components/guestColumns.js";
import { useHostNames } from "../../components/hostNames.js";
import { TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { Paged, usePages } from "../../components/Pager.js";
import { Section } from "../../components/Section.js";
import { Status } from "../../components/Status.js";
import { Table, type Column } from "../../components/Table.js";
import { confirm } from "../../components/tell.js";
import { count, mebibytes, percent, sentence, some } from "../../format.js";
import {
  BalanceReportDocument,
  BalanceRunsDocument,
  StartBalanceRunDocument,
  type BalanceMode,
  type BalanceReportQuery,
} from "../../generated/documents.js";
import { BeforeAfter } from "./BeforeAfter.js";
import { AddressMark } from "./MigrationPlanView.js";

const MODES: readonly BalanceMode[] = ["SMALLEST_FIRST", "FEWEST_MOVES", "LEAST_COPY"];

const HOT_A_PAGE = 10;
const LINES_A_PAGE = 25;

type Suggestion = BalanceReportQuery["balanceReport"]["suggestions"][number];

export function Balance() {
  const { mode = "SMALLEST_FIRST" } = useSearch({ from: "/shell/balance" });
  const navigate = useNavigate({ from: "/balance" });
  const live = useLive({ query: BalanceReportDocument, variables: { mode }, kinds: ["HOST", "MIGRATION"] });
  return (
    <Page
      title="Balance"
      readAt={live.readAt}
      actions={
        <SegmentedControl
          aria-label="How guests are chosen"
          data={MODES.map((value) => ({ value, label: sentence(value) }))}
          value={mode}
          onChange={(value) => void navigate({ search: { mode: MODES.find((each) => each === value) }, replace: true })}
        />
      }
    >
      <Answer live={live} lines={10}>
        {(data) => <Report data={data} />}
      </Answer>
    </Page>
  );
}

function Report({ data }: { readonly data: BalanceReportQuery }) {
  const { hotNodes, suggestions, passedOver } = data.balanceReport;
  const { nameOf } = useHostNames();
  return (
    <Grid gap="sm">
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Stack gap="sm">
          <Section title="Hot nodes">
            {hotNodes.length === 0 && (
              <Nothing>
                <Group component="span" gap={6} justify="center">
                  <CircleCheck size={16} aria-hidden /> No node is above a threshold (CPU{" "}
                  {data.settings.cpuThresholdPercent} % over 30 minutes, RAM {data.settings.ramThresholdPercent} %).
                </Group>
              </Nothing>
            )}
            <Stack gap="xs">
              <Paged rows={hotNodes} perPage={HOT_A_PAGE}>
                {(shown) =>
                  shown.map(({ hostId, node, reason, unresolvedReason }) => (
                    <Alert key={`${hostId}/${node}`} color="red" title={`${nameOf(hostId)} / ${node}`}>
                      {reason}
                      {unresolvedReason !== null && (
                        <Text fz="sm" mt={4}>
                          It stays hot: {unresolvedReason}
                        </Text>
                      )}
                    </Alert>
                  ))
                }
              </Paged>
            </Stack>
          </Section>
          <Suggestions suggestions={suggestions} />
          {passedOver.length > 0 && (
            <Section title="Passed over">
              <Stack gap={2}>
                <Paged rows={passedOver} perPage={LINES_A_PAGE}>
                  {(shown) =>
                    shown.map(({ hostId, node, vmid, reason }) => (
                      <Text key={`${hostId}/${vmid}`} fz="xs">
                        <b>
                          {nameOf(hostId)} / {node}, {vmid}:
                        </b>{" "}
                        {reason}
                      </Text>
                    ))
                  }
                </Paged>
              </Stack>
            </Section>
          )}
          <Runs />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Section title={suggestions.length === 0 ? "Nodes now" : "Nodes before and after"}>
          <BeforeAfter data={data} />
        </Section>
      </Grid.Col>
    </Grid>
  );
}

function Suggestions({ suggestions }: { readonly suggestions: readonly Suggestion[] }) {
  const navigate = useNavigate();
  const { nameOf } = useHostNames();
  const [refused, setRefused] = useState<readonly string[]>([]);
  const chosen = suggestions.filter(({ id }) => !refused.includes(id));
  const { shown, paging } = usePages(suggestions, LINES_A_PAGE);
  const [start, starting] = useAct(StartBalanceRunDocument, { failed: "Nothing is moved" });
  async function run(): Promise<void> {
    const agreed = await confirm({
      title: `Carry out ${count(chosen.length, "suggestion")}?`,
      verb: `Move ${count(chosen.length, "guest")}`,
      children: (
        <Text fz="sm">
          {some(chosen.map(({ guest, toNode }) => `${guest.name} to ${toNode}`))}: one at a time, each checked again at
          its turn.
        </Text>
      ),
    });
    const started = agreed ? await start({ suggestionIds: chosen.map(({ id }) => id) }) : null;
    if (started !== null) await navigate({ to: "/balance/$id", params: { id: String(started.startBalanceRun.id) } });
  }
  return (
    <Section
      title="Suggestions"
      actions={
        suggestions.length > 0 && (
          <Button disabled={chosen.length === 0} loading={starting} onClick={() => void run()}>
            Carry out {chosen.length}
          </Button>
        )
      }
    >
      <Table
        rows={shown}
        columns={columns(nameOf)}
        empty="Nothing is suggested."
        paging={paging}
        choosing={{
          chosen,
          all: suggestions,
          onChoose: (rows) =>
            setRefused(suggestions.filter(({ id }) => !rows.some((row) => row.id === id)).map(({ id }) => id)),
          nameOf: ({ guest }) => guest.name,
        }}
      />
    </Section>
  );
}

const columns = (nameOf: (hostId: number) => string): Column<Suggestion>[] => [
  {
    accessor: "guest.name",
    cellsClassName: "wrap",
    title: "Guest",
    render: ({ guest, explanation }) => (
      <div>
        <TextLink {...guestAddress(guest)} fw={500}>
          {guest.name}
        </TextLink>
        <Text fz="xs" c="dimmed">
          {explanation}
        </Text>
      </div>
    ),
  },
  { accessor: "fromNode", title: "From", render: ({ fromHostId, fromNode }) => `${nameOf(fromHostId)} / ${fromNode}` },
  { accessor: "toNode", title: "To", render: ({ toHostId, toNode }) => `${nameOf(toHostId)} / ${toNode}` },
  {
    accessor: "freesMemoryMb",
    title: "Frees",
    render: ({ freesCpu, freesMemoryMb }) => `${percent(freesCpu)} CPU, ${mebibytes(freesMemoryMb)}`,
  },
  {
    accessor: "ipPlan",
    title: "Address",
    render: ({ ipPlan }) => <AddressMark plan={ipPlan} />,
  },
  {
    accessor: "downtime",
    title: "Users notice",
    cellsClassName: "wrap",
    render: ({ downtime }) => <Text fz="xs">{downtime}</Text>,
  },
];

const RUNS_SHOWN = 10;

function Runs() {
  const live = useLive({ query: BalanceRunsDocument, variables: { page: 1, perPage: RUNS_SHOWN }, kinds: ["RUN"] });
  return (
    <Section title="Latest runs">
      <Answer live={live} lines={2}>
        {({ balanceRuns }) => (
          <Table
            rows={balanceRuns.items}
            empty="No suggestion was carried out yet."
            columns={[
              {
                accessor: "id",
                title: "Run",
                render: ({ id }) => (
                  <TextLink to="/balance/$id" params={{ id: String(id) }}>
                    Balance run {id}
                  </TextLink>
                ),
              },
              { accessor: "status", title: "Status", render: ({ status }) => <Status value={status} work /> },
              { accessor: "done", title: "Guests settled", render: ({ done, total }) => `${done} of ${total}` },
              {
                accessor: "startedAt",
                title: "Started",
                render: ({ startedAt }) => <Age at={startedAt} never="waiting" />,
              },
              { accessor: "finishedAt", title: "Ended", render: ({ finishedAt }) => <Age at={finishedAt} never="–" /> },
            ]}
          />
        )}
      </Answer>
    </Section>
  );
}
