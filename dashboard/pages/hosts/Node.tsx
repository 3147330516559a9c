// One node: its load over time, storages, networks, agent and guests.
import { Badge, Button, Grid, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useHopes } from "../../client/hopes.js";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer, Nothing } from "../../components/Answer.js";
import { Facts } from "../../components/Facts.js";
import { ButtonLink, TextLink } from "../../components/links.js";
import { LoadChart } from "../../components/LoadChart.js";
import { Meter } from "../../components/Meter.js";
import { OnceShown } from "../../components/OnceShown.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { Status } from "../../components/Status.js";
import { Table } from "../../components/Table.js";
import { confirm } from "../../components/tell.js";
import { bytes, mebibytes, percent, span } from "../../format.js";
import { CreateAgentTokenDocument, NodeDocument, type NodeQuery } from "../../generated/documents.js";
import { GuestList } from "../guests/GuestList.js";
import { Maintenance } from "./Host.js";
import { texts } from "../../texts/hosts.js";

const DEFAULT_MINUTES = 60;
const SPANS = [
  { value: "60", label: texts.node.ranges.hour },
  { value: "360", label: texts.node.ranges.sixHours },
  { value: "1440", label: texts.node.ranges.day },
];

type ShownNode = NodeQuery["node"];

export function NodePage() {
  const { hostId, node: name } = useParams({ from: "/shell/hosts/$hostId/nodes/$node" });
  const { minutes = DEFAULT_MINUTES } = useSearch({ from: "/shell/hosts/$hostId/nodes/$node" });
  const variables = { hostId: Number(hostId), name, minutes };
  const live = useLive({ query: NodeDocument, variables, kinds: ["HOST"] });
  const [[host], hopeFor] = useHopes(live.data === undefined ? [] : [live.data.node.host]);
  return (
    <Page
      title={name}
      mark={live.data && host && <NodeMarks node={live.data.node} maintenance={host.maintenance} />}
      above={[
        <TextLink to="/hosts">{texts.title}</TextLink>,
        <TextLink to="/hosts/$hostId" params={{ hostId }}>
          {host?.name ?? texts.hostNumber(hostId)}
        </TextLink>,
      ]}
      readAt={live.readAt}
      actions={
        host && (
          <>
            <Maintenance host={host} hopeFor={hopeFor} />
            <ButtonLink to="/evacuations/new" search={{ hostId: host.id, node: name }} variant="default">
              {texts.node.evacuate}
            </ButtonLink>
          </>
        )
      }
    >
      <Answer live={live} lines={12}>
        {({ node }) => <Whole node={node} minutes={minutes} />}
      </Answer>
    </Page>
  );
}

function NodeMarks({ node, maintenance }: { readonly node: ShownNode; readonly maintenance: boolean }) {
  return (
    <Group gap={6}>
      <Status value={node.status} />
      {node.hot && <Badge color="red">{texts.marks.overloaded}</Badge>}
      {maintenance && <Badge color="yellow">{texts.marks.maintenance}</Badge>}
    </Group>
  );
}

function Whole({ node, minutes }: { readonly node: ShownNode; readonly minutes: number }) {
  const navigate = useNavigate({ from: "/hosts/$hostId/nodes/$node" });
  return (
    <Stack gap="sm">
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Section
            title={texts.node.load}
            actions={
              <SegmentedControl
                aria-label={texts.node.timeRange}
                data={SPANS}
                value={String(minutes)}
                onChange={(value) => void navigate({ search: { minutes: Number(value) }, replace: true })}
              />
            }
          >
            <LoadChart
              label={texts.page.loadOf(node.name)}
              samples={node.samples}
              memoryMb={node.memoryMb}
              height={210}
            />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Section title={texts.node.node}>
            <Facts facts={factsOf(node)} nameSpan={5} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Section title={texts.node.storage}>
            <Storages node={node} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="sm">
            <Section title={texts.agent.title} actions={<NewAgentToken node={node} />}>
              <AgentFacts agent={node.agent} />
            </Section>
            <Section title={texts.node.networks}>
              <Facts
                nameSpan={5}
                facts={node.networks.map(({ name, type, cidr, active }) => [
                  texts.node.network(name, type),
                  active ? (cidr ?? texts.node.noAddress) : texts.node.down(cidr ?? texts.node.noAddress),
                ])}
              />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
      <Section title={texts.page.guests}>
        <GuestList filter={{ hostIds: [node.hostId], node: node.name }} />
      </Section>
    </Stack>
  );
}

const factsOf = (node: ShownNode) =>
  [
    [texts.node.cpuAverage, percent(node.cpuAverage30m)],
    [texts.node.cpuCurrent, texts.node.cpuOf(percent(node.loadKnown ? node.cpuUsage : null), node.cpuCores)],
    [texts.columns.ram, texts.partOf(mebibytes(node.loadKnown ? node.memoryUsedMb : null), mebibytes(node.memoryMb))],
    [texts.columns.uptime, span(node.uptimeSeconds)],
    [texts.columns.version, node.version ?? "–"],
    [texts.node.publicAddress, node.publicAddress ?? "–"],
    [texts.node.natGateway, node.natConfigured ? texts.node.yes : texts.node.no],
    [texts.columns.lastSync, <Age key="read" at={node.host.lastSyncAt} />],
  ] as const;

function AgentFacts({ agent }: { readonly agent: ShownNode["agent"] }) {
  if (agent === null) return <Nothing>{texts.agent.notInstalled}</Nothing>;
  return (
    <Facts
      nameSpan={5}
      facts={[
        [texts.agent.state, agentState(agent)],
        [texts.columns.version, agent.version ?? "–"],
        [texts.agent.lastHeartbeat, <Age key="seen" at={agent.lastSeenAt} />],
      ]}
    />
  );
}

const agentState = ({ current, healthy }: NonNullable<ShownNode["agent"]>): string => {
  if (!current) return texts.agent.notCurrent;
  return healthy ? texts.agent.healthy : texts.agent.unhealthy;
};

function NewAgentToken({ node }: { readonly node: ShownNode }) {
  const [value, setValue] = useState<string | null>(null);
  const [create, busy] = useAct(CreateAgentTokenDocument, { failed: texts.agent.tokenFailed });
  async function make(): Promise<void> {
    const agreed =
      node.agent === null ||
      (await confirm({
        title: texts.agent.tokenQuestion(node.name),
        verb: texts.agent.tokenVerb,
        danger: true,
        children: <Text fz="sm">{texts.agent.tokenWarning}</Text>,
      }));
    if (!agreed) return;
    const made = await create({ hostId: node.hostId, node: node.name });
    if (made !== null) setValue(made.createAgentToken.value);
  }
  return (
    <>
      <Button variant="default" size="compact-xs" loading={busy} onClick={() => void make()}>
        {texts.agent.newToken}
      </Button>
      <OnceShown
        title={texts.agent.tokenTitle(node.name)}
        value={value}
        note={texts.agent.tokenNote}
        close={() => setValue(null)}
      />
    </>
  );
}

function Storages({ node }: { readonly node: ShownNode }) {
  return (
    <Table
      rows={node.storages}
      rowKey="name"
      empty={texts.storages.none}
      columns={[
        {
          accessor: "name",
          title: texts.storages.storage,
          render: ({ name, shared, active }) => (
            <Group gap={6}>
              {name}
              {shared && <Badge color="gray">{texts.storages.shared}</Badge>}
              {!active && <Badge color="red">{texts.storages.unavailable}</Badge>}
            </Group>
          ),
        },
        { accessor: "type", title: texts.storages.type },
        {
          accessor: "content",
          title: texts.storages.content,
          cellsClassName: "wrap",
          render: ({ content }) => content.join(", "),
        },
        {
          accessor: "usedBytes",
          title: texts.storages.used,
          render: ({ usedBytes, totalBytes, roomKnown }) => (
            <Meter
              label={texts.storages.used}
              value={totalBytes === 0 ? null : usedBytes / totalBytes}
              figure={texts.partOf(bytes(roomKnown ? usedBytes : null), bytes(roomKnown ? totalBytes : null))}
              width={90}
            />
          ),
        },
        {
          accessor: "freeBytes",
          title: texts.storages.free,
          textAlign: "right",
          render: ({ freeBytes, roomKnown }) => bytes(roomKnown ? freeBytes : null),
        },
      ]}
    />
  );
}
