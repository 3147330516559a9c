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

const DEFAULT_MINUTES = 60;
const SPANS = [
  { value: "60", label: "1 h" },
  { value: "360", label: "6 h" },
  { value: "1440", label: "24 h" },
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
        <TextLink to="/hosts">Hosts</TextLink>,
        <TextLink to="/hosts/$hostId" params={{ hostId }}>
          {host?.name ?? `Host ${hostId}`}
        </TextLink>,
      ]}
      readAt={live.readAt}
      actions={
        host && (
          <>
            <Maintenance host={host} hopeFor={hopeFor} />
            <ButtonLink to="/evacuations/new" search={{ hostId: host.id, node: name }} variant="default">
              Empty this node
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
      {node.hot && <Badge color="red">hot</Badge>}
      {maintenance && <Badge color="yellow">maintenance</Badge>}
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
            title="Load"
            actions={
              <SegmentedControl
                aria-label="How far to look back"
                data={SPANS}
                value={String(minutes)}
                onChange={(value) => void navigate({ search: { minutes: Number(value) }, replace: true })}
              />
            }
          >
            <LoadChart label={`Load of ${node.name}`} samples={node.samples} memoryMb={node.memoryMb} height={210} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Section title="Node">
            <Facts facts={factsOf(node)} nameSpan={5} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Section title="Storages">
            <Storages node={node} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="sm">
            <Section title="Agent" actions={<NewAgentToken node={node} />}>
              <AgentFacts agent={node.agent} />
            </Section>
            <Section title="Networks">
              <Facts
                nameSpan={5}
                facts={node.networks.map(({ name, type, cidr, active }) => [
                  `${name} (${type})`,
                  `${cidr ?? "no address"}${active ? "" : ", down"}`,
                ])}
              />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
      <Section title="Guests">
        <GuestList filter={{ hostIds: [node.hostId], node: node.name }} />
      </Section>
    </Stack>
  );
}

const factsOf = (node: ShownNode) =>
  [
    ["CPU, 30 minutes", percent(node.cpuAverage30m)],
    ["CPU now", `${percent(node.cpuUsage)} of ${node.cpuCores} threads`],
    ["RAM", `${mebibytes(node.memoryUsedMb)} of ${mebibytes(node.memoryMb)}`],
    ["Up", span(node.uptimeSeconds)],
    ["Version", node.version ?? "–"],
    ["Public address", node.publicAddress ?? "–"],
    ["Translates addresses", node.natConfigured ? "yes" : "no"],
    ["Host last read", <Age key="read" at={node.host.lastSyncAt} />],
  ] as const;

function AgentFacts({ agent }: { readonly agent: ShownNode["agent"] }) {
  if (agent === null) return <Nothing>No agent was ever set up.</Nothing>;
  return (
    <Facts
      nameSpan={5}
      facts={[
        ["State", agent.current ? (agent.healthy ? "reports, healthy" : "reports, unhealthy") : "silent or too old"],
        ["Version", agent.version ?? "–"],
        ["Last heartbeat", <Age key="seen" at={agent.lastSeenAt} />],
      ]}
    />
  );
}

function NewAgentToken({ node }: { readonly node: ShownNode }) {
  const [value, setValue] = useState<string | null>(null);
  const [create, busy] = useAct(CreateAgentTokenDocument, { failed: "No token was made" });
  async function make(): Promise<void> {
    const agreed =
      node.agent === null ||
      (await confirm({
        title: `Make a new token for the agent of ${node.name}?`,
        verb: "Make a token",
        danger: true,
        children: <Text fz="sm">The present token ends at once: the agent is silent until it has the new one.</Text>,
      }));
    if (!agreed) return;
    const made = await create({ hostId: node.hostId, node: node.name });
    if (made !== null) setValue(made.createAgentToken.value);
  }
  return (
    <>
      <Button variant="default" size="compact-xs" loading={busy} onClick={() => void make()}>
        New token
      </Button>
      <OnceShown
        title={`Token of the agent of ${node.name}`}
        value={value}
        note="It is shown this once. Put it into the agent's configuration on the node."
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
      empty="The node sees no storage."
      columns={[
        {
          accessor: "name",
          title: "Storage",
          render: ({ name, shared, active }) => (
            <Group gap={6}>
              {name}
              {shared && <Badge color="gray">shared</Badge>}
              {!active && <Badge color="red">not usable</Badge>}
            </Group>
          ),
        },
        { accessor: "type", title: "Type" },
        { accessor: "content", title: "Holds", cellsClassName: "wrap", render: ({ content }) => content.join(", ") },
        {
          accessor: "usedBytes",
          title: "In use",
          render: ({ usedBytes, totalBytes }) => (
            <Meter
              label="In use"
              value={totalBytes === 0 ? null : usedBytes / totalBytes}
              figure={`${bytes(usedBytes)} of ${bytes(totalBytes)}`}
              width={90}
            />
          ),
        },
        { accessor: "freeBytes", title: "Free", textAlign: "right", render: ({ freeBytes }) => bytes(freeBytes) },
      ]}
    />
  );
}
