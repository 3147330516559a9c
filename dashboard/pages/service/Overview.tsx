// The first page: what needs somebody now, how the nodes are, what is under way.
import { Grid, Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { CircleCheck } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useLive } from "../../client/live.js";
import { Answer, Nothing } from "../../components/Answer.js";
import { useHostNames } from "../../components/hostNames.js";
import { JobList } from "../../components/JobList.js";
import { TextLink } from "../../components/links.js";
import { MoveList } from "../../components/MoveList.js";
import { NODES_A_PAGE, NodeTable } from "../../components/NodeTable.js";
import { useNow } from "../../components/now.js";
import { Page } from "../../components/Page.js";
import { Pager, type Paging } from "../../components/Pager.js";
import { Section } from "../../components/Section.js";
import { grouped } from "../../format.js";
import { OverviewDocument, type OverviewQuery } from "../../generated/documents.js";
import { notes, toldAlert, urgentAlerts, type PanelAlert } from "./overviewAlerts.js";
import { texts } from "../../texts/overview.js";

const ALERTS_A_PAGE = 20;

export function Overview() {
  const [nodePage, turnNodes] = useState(1);
  const [alertPage, turnAlerts] = useState(1);
  const live = useLive({
    query: OverviewDocument,
    variables: { nodePage, nodesPerPage: NODES_A_PAGE, alertPage, alertsPerPage: ALERTS_A_PAGE },
    kinds: ["HOST", "GUEST", "JOB", "MIGRATION"],
  });
  return (
    <Page title={texts.title} readAt={live.readAt}>
      <Answer live={live} lines={12}>
        {(data) => (
          <Everything
            data={data}
            alertPaging={{ page: alertPage, perPage: ALERTS_A_PAGE, total: data.alerts.meta.total, onPage: turnAlerts }}
            nodePaging={{ page: nodePage, perPage: NODES_A_PAGE, total: data.nodes.meta.total, onPage: turnNodes }}
          />
        )}
      </Answer>
    </Page>
  );
}

interface EverythingProperties {
  readonly data: OverviewQuery;
  readonly alertPaging: Paging;
  readonly nodePaging: Paging;
}

function Everything({ data, alertPaging, nodePaging }: EverythingProperties) {
  const moves = [...data.runningMigrations.items, ...data.queuedMigrations.items];
  const nodes = data.nodes.items.map((node) => ({ ...node, hostName: node.host.name }));
  return (
    <Stack gap="sm">
      <Figures data={data} />
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="sm">
            <Section title={texts.alerts}>
              <Alerts data={data} paging={alertPaging} />
            </Section>
            <Section title={texts.nodes} actions={<TextLink to="/hosts">{texts.allHosts}</TextLink>}>
              <NodeTable nodes={nodes} paging={nodePaging} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="sm">
            <Section title={texts.migrations} actions={<TextLink to="/migrations">{texts.all}</TextLink>}>
              <MoveList moves={moves} empty={texts.noMigrations} />
            </Section>
            <Section title={texts.runningJobs} actions={<TextLink to="/jobs">{texts.all}</TextLink>}>
              <JobList jobs={data.runningJobs.items} empty={texts.noRunningJobs} />
            </Section>
            <Section title={texts.recentFailures}>
              <JobList jobs={data.failedJobs.items} empty={texts.noFailures} />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

/** Of what is told apart only as far as a page goes, the service's own count. */
const attention = ({ alerts, hotNodes, unhealthyAgents, notInUse }: OverviewQuery): number =>
  alerts.meta.total + hotNodes.meta.total + unhealthyAgents.meta.total + notInUse.meta.total;

function attentionNote(needed: number, hosts: number) {
  if (hosts === 0) return <TextLink to="/hosts">{texts.figures.addHost}</TextLink>;
  return needed === 0 ? texts.figures.noAlerts : texts.figures.seeBelow;
}

function Figures({ data }: { readonly data: OverviewQuery }) {
  const needed = attention(data);
  const online = data.onlineNodes.meta.total;
  const nodes = data.nodes.meta.total;
  const hot = data.hotNodes.meta.total;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" className="figures">
      <Figure name={texts.alerts} value={needed} note={attentionNote(needed, data.hosts.meta.total)} bad={needed > 0} />
      <Figure
        name={texts.figures.nodesOnline}
        value={texts.figures.onlineOf(online, nodes)}
        note={texts.figures.onHosts(data.hosts.meta.total)}
        bad={online < nodes}
      />
      <Figure
        name={texts.figures.overloadedNodes}
        value={hot}
        note={
          hot === 0 ? (
            texts.figures.noneOverloaded
          ) : (
            <TextLink to="/balance">{texts.figures.seeRecommendations}</TextLink>
          )
        }
        bad={hot > 0}
      />
      <Figure
        name={texts.figures.runningGuests}
        value={data.runningGuests.meta.total}
        note={<TextLink to="/guests">{texts.figures.ofGuests(data.allGuests.meta.total)}</TextLink>}
      />
      <Figure
        name={texts.figures.runningMigrations}
        value={data.runningMigrations.meta.total}
        note={texts.figures.queued(data.queuedMigrations.meta.total)}
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
        {typeof value === "number" ? grouped(value) : value}
      </Text>
      <Text fz="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  );
}

function Alerts({ data, paging }: { readonly data: OverviewQuery; readonly paging: Paging }) {
  const now = useNow();
  const { nameOf } = useHostNames();
  if (attention(data) === 0) {
    return (
      <Nothing>
        <Group component="span" gap={6} justify="center">
          <CircleCheck size={16} aria-hidden /> {texts.noAlerts}
        </Group>
      </Nothing>
    );
  }
  const moreHot = data.hotNodes.meta.total - data.hotNodes.items.length;
  return (
    <Stack gap={4}>
      <AlertLines alerts={urgentAlerts(data, now)} />
      {moreHot > 0 && (
        <Text fz="sm">
          <TextLink to="/balance">{texts.moreOverloaded(moreHot)}</TextLink>
        </Text>
      )}
      <AlertLines alerts={data.alerts.items.map((told) => toldAlert(told, nameOf, now))} />
      <Pager {...paging} />
      <AlertLines alerts={notes(data, now)} />
    </Stack>
  );
}

function AlertLines({ alerts }: { readonly alerts: readonly PanelAlert[] }) {
  if (alerts.length === 0) return null;
  return (
    <ul className="alerts">
      {alerts.map(({ key, severity, subject, text, link }) => (
        <li key={key} className={`alert-${severity}`}>
          <Text fz="sm" span fw={600}>
            <span className="unseen">{severity === "bad" ? texts.critical : texts.info} </span>
            <TextLink {...link}>{subject}</TextLink>
          </Text>
          <Text fz="sm" span>
            {text}
          </Text>
        </li>
      ))}
    </ul>
  );
}
