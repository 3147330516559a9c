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
import { mebibytes, percent, some } from "../../format.js";
import {
  BalanceReportDocument,
  BalanceRunsDocument,
  StartBalanceRunDocument,
  type BalanceMode,
  type BalanceReportQuery,
} from "../../generated/documents.js";
import { BeforeAfter } from "./BeforeAfter.js";
import { AddressMark } from "./MigrationPlanView.js";
import { texts } from "../../texts/balance.js";
import { texts as common } from "../../texts/common.js";
import { balanceModeText } from "../../texts/terms.js";

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
      title={texts.title}
      readAt={live.readAt}
      actions={
        <SegmentedControl
          aria-label={texts.strategy}
          data={MODES.map((value) => ({ value, label: balanceModeText(value) }))}
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
          <Section title={texts.overloadedNodes}>
            {hotNodes.length === 0 && (
              <Nothing>
                <Group component="span" gap={6} justify="center">
                  <CircleCheck size={16} aria-hidden />
                  {texts.noneOverloaded(data.settings.cpuThresholdPercent, data.settings.ramThresholdPercent)}
                </Group>
              </Nothing>
            )}
            <Stack gap="xs">
              <Paged rows={hotNodes} perPage={HOT_A_PAGE}>
                {(shown) =>
                  shown.map(({ hostId, node, reason, unresolvedReason }) => (
                    <Alert key={`${hostId}/${node}`} color="red" title={common.hostAndNode(nameOf(hostId), node)}>
                      {reason}
                      {unresolvedReason !== null && (
                        <Text fz="sm" mt={4}>
                          {texts.unresolved(unresolvedReason)}
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
            <Section title={texts.skipped}>
              <Stack gap={2}>
                <Paged rows={passedOver} perPage={LINES_A_PAGE}>
                  {(shown) =>
                    shown.map(({ hostId, node, vmid, reason }) => (
                      <Text key={`${hostId}/${vmid}`} fz="xs">
                        <b>{texts.skippedGuest(nameOf(hostId), node, vmid)}</b> {reason}
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
        <Section title={suggestions.length === 0 ? texts.loadNow : texts.loadBeforeAndAfter}>
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
  const [start, starting] = useAct(StartBalanceRunDocument, { failed: texts.applyFailed });
  async function run(): Promise<void> {
    const agreed = await confirm({
      title: texts.applyQuestion(chosen.length),
      verb: texts.applyVerb(chosen.length),
      children: (
        <Text fz="sm">
          {texts.applyText(some(chosen.map(({ guest, toNode }) => texts.applied(guest.name, toNode))))}
        </Text>
      ),
    });
    const started = agreed ? await start({ suggestionIds: chosen.map(({ id }) => id) }) : null;
    if (started !== null) await navigate({ to: "/balance/$id", params: { id: String(started.startBalanceRun.id) } });
  }
  return (
    <Section
      title={texts.recommendations}
      actions={
        suggestions.length > 0 && (
          <Button disabled={chosen.length === 0} loading={starting} onClick={() => void run()}>
            {texts.apply(chosen.length)}
          </Button>
        )
      }
    >
      <Table
        rows={shown}
        columns={columns(nameOf)}
        empty={texts.noRecommendations}
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
    title: texts.columns.guest,
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
  {
    accessor: "fromNode",
    title: texts.columns.source,
    render: ({ fromHostId, fromNode }) => common.hostAndNode(nameOf(fromHostId), fromNode),
  },
  {
    accessor: "toNode",
    title: texts.columns.target,
    render: ({ toHostId, toNode }) => common.hostAndNode(nameOf(toHostId), toNode),
  },
  {
    accessor: "freesMemoryMb",
    title: texts.columns.relief,
    render: ({ freesCpu, freesMemoryMb }) => texts.relief(percent(freesCpu), mebibytes(freesMemoryMb)),
  },
  {
    accessor: "ipPlan",
    title: texts.columns.address,
    render: ({ ipPlan }) => <AddressMark plan={ipPlan} />,
  },
  {
    accessor: "downtime",
    title: texts.columns.downtime,
    cellsClassName: "wrap",
    render: ({ downtime }) => <Text fz="xs">{downtime}</Text>,
  },
];

const RUNS_SHOWN = 10;

function Runs() {
  const live = useLive({ query: BalanceRunsDocument, variables: { page: 1, perPage: RUNS_SHOWN }, kinds: ["RUN"] });
  return (
    <Section title={texts.recentRuns}>
      <Answer live={live} lines={2}>
        {({ balanceRuns }) => (
          <Table
            rows={balanceRuns.items}
            empty={texts.noRuns}
            columns={[
              {
                accessor: "id",
                title: texts.columns.run,
                render: ({ id }) => (
                  <TextLink to="/balance/$id" params={{ id: String(id) }}>
                    {texts.run(id)}
                  </TextLink>
                ),
              },
              {
                accessor: "status",
                title: texts.columns.status,
                render: ({ status }) => <Status value={status} work />,
              },
              {
                accessor: "done",
                title: texts.columns.processed,
                render: ({ done, total }) => texts.processed(done, total),
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
            ]}
          />
        )}
      </Answer>
    </Section>
  );
}
