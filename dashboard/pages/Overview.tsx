// The first page: what needs somebody now, how the nodes are, what is under way.
import { Grid, Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { useLive } from "../client/live.js";
import { Answer, Nothing } from "../components/Answer.js";
import { JobList } from "../components/JobList.js";
import { TextLink } from "../components/links.js";
import { MoveList } from "../components/MoveList.js";
import { NodeTable } from "../components/NodeTable.js";
import { useNow } from "../components/now.js";
import { Page } from "../components/Page.js";
import { Paged } from "../components/Pager.js";
import { Section } from "../components/Section.js";
import { count } from "../format.js";
import { OverviewDocument, type OverviewQuery } from "../generated/documents.js";
import { alertsOf, type PanelAlert } from "./overviewAlerts.js";

export function Overview() {
  const live = useLive({ query: OverviewDocument, variables: {}, kinds: ["HOST", "GUEST", "JOB", "MIGRATION"] });
  return (
    <Page title="Overview" readAt={live.readAt}>
      <Answer live={live} lines={12}>
        {(data) => <Everything data={data} />}
      </Answer>
    </Page>
  );
}

function Everything({ data }: { readonly data: OverviewQuery }) {
  const alerts = alertsOf(data, useNow());
  const moves = [...data.runningMigrations.items, ...data.queuedMigrations.items];
  const nodes = data.hosts.items.flatMap((host) => host.nodes.map((node) => ({ ...node, hostName: host.name, host })));
  return (
    <Stack gap="sm">
      <Figures data={data} alerts={alerts.length} />
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="sm">
            <Section title="Needs attention">
              <Alerts alerts={alerts} />
            </Section>
            <Section title="Nodes" actions={<TextLink to="/hosts">All hosts</TextLink>}>
              <NodeTable nodes={nodes} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="sm">
            <Section title="Moves" actions={<TextLink to="/migrations">All</TextLink>}>
              <MoveList moves={moves} empty="No guest is moving." />
            </Section>
            <Section title="Jobs under way" actions={<TextLink to="/jobs">All</TextLink>}>
              <JobList jobs={data.runningJobs.items} empty="No job is running." />
            </Section>
            <Section title="Latest failures">
              <JobList jobs={data.failedJobs.items} empty="No job has failed." />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Figures({ data, alerts }: { readonly data: OverviewQuery; readonly alerts: number }) {
  const nodes = data.hosts.items.flatMap((host) => host.nodes);
  const online = nodes.filter(({ status }) => status === "ONLINE").length;
  const hot = nodes.filter((node) => node.hot).length;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
      <Figure
        name="Needs attention"
        value={alerts}
        note={alerts === 0 ? "all is well" : "see below"}
        bad={alerts > 0}
      />
      <Figure
        name="Nodes online"
        value={`${online} / ${nodes.length}`}
        note={`on ${count(data.hosts.meta.total, "host")}`}
        bad={online < nodes.length}
      />
      <Figure
        name="Hot nodes"
        value={hot}
        note={hot === 0 ? "none above a threshold" : <TextLink to="/balance">see what would cool them</TextLink>}
        bad={hot > 0}
      />
      <Figure
        name="Guests running"
        value={data.runningGuests.meta.total}
        note={<TextLink to="/guests">of {data.allGuests.meta.total.toLocaleString("en")}</TextLink>}
      />
      <Figure
        name="Moves running"
        value={data.runningMigrations.meta.total}
        note={`${data.queuedMigrations.meta.total} waiting`}
      />
    </SimpleGrid>
  );
}

interface FigureProperties {
  readonly name: string;
  readonly value: number | string;
  readonly note: ReactNode;
  readonly bad?: boolean;
}

function Figure({ name, value, note, bad = false }: FigureProperties) {
  return (
    <Paper p="sm" className={bad ? "figure figure-bad" : "figure"}>
      <Text fz="xs" c="dimmed">
        {name}
      </Text>
      <Text fz={24} fw={600} lh={1.25} className="number">
        {typeof value === "number" ? value.toLocaleString("en") : value}
      </Text>
      <Text fz="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  );
}

const ALERTS_A_PAGE = 20;

function Alerts({ alerts }: { readonly alerts: readonly PanelAlert[] }) {
  if (alerts.length === 0) {
    return (
      <Nothing>
        <Group component="span" gap={6} justify="center">
          <CircleCheck size={16} aria-hidden /> Nothing needs attention.
        </Group>
      </Nothing>
    );
  }
  return (
    <Paged rows={alerts} perPage={ALERTS_A_PAGE}>
      {(shown) => <AlertLines alerts={shown} />}
    </Paged>
  );
}

function AlertLines({ alerts }: { readonly alerts: readonly PanelAlert[] }) {
  return (
    <ul className="alerts">
      {alerts.map(({ key, severity, subject, text, link }) => (
        <li key={key} className={`alert-${severity}`}>
          <Text fz="sm" span fw={600}>
            <span className="unseen">{severity === "bad" ? "Urgent: " : "Note: "}</span>
            {link === null ? subject : <TextLink {...link}>{subject}</TextLink>}
          </Text>
          <Text fz="sm" span>
            {text}
          </Text>
        </li>
      ))}
    </ul>
  );
}
