// Nodes with their load, one line each.
import { Badge, Group, Text } from "@mantine/core";
import { mebibytes, percent, span } from "../format.js";
import type { NodeLoadFragment } from "../generated/documents.js";
import { Age } from "./Age.js";
import { Hint } from "./Hint.js";
import { TextLink } from "./links.js";
import { Meter } from "./Meter.js";
import type { Paging } from "./Pager.js";
import { Status } from "./Status.js";
import { Table, type Column } from "./Table.js";
import { texts } from "../texts/hosts.js";
import { statusText } from "../texts/terms.js";

interface NodeOfHost extends NodeLoadFragment {
  readonly hostName: string;
  readonly host: { readonly maintenance: boolean; readonly lastSyncAt: string | null };
}

interface Properties {
  readonly nodes: readonly NodeOfHost[];
  readonly paging: Paging;
  /** Whether the host's name is told: not on the host's own page. */
  readonly withHost?: boolean;
}

export const NODES_A_PAGE = 25;

export function NodeTable({ nodes, paging, withHost = true }: Properties) {
  const rows = nodes.map((node) => ({ ...node, id: `${node.hostId}/${node.name}` }));
  return (
    <Table
      rows={rows}
      paging={paging}
      columns={withHost ? [HOST, ...COLUMNS.filter(({ accessor }) => !LEFT_OUT.includes(accessor))] : COLUMNS}
      empty={texts.node.none}
    />
  );
}

/** Where hosts are named too, there is no room for what is told otherwise or seldom matters. */
const LEFT_OUT = ["status", "uptimeSeconds"];

type Row = NodeOfHost & { readonly id: string };

const HOST: Column<Row> = {
  accessor: "hostName",
  title: texts.columns.host,
  render: ({ hostId, hostName, host }) => (
    <Group gap={6} wrap="nowrap">
      <TextLink to="/hosts/$hostId" params={{ hostId: String(hostId) }}>
        {hostName}
      </TextLink>
      {host.maintenance && <Badge color="yellow">{texts.marks.maintenance}</Badge>}
    </Group>
  ),
};

const COLUMNS: Column<Row>[] = [
  {
    accessor: "name",
    title: texts.columns.node,
    render: ({ hostId, name, hot, status }) => (
      <Group gap={6} wrap="nowrap">
        <TextLink to="/hosts/$hostId/nodes/$node" params={{ hostId: String(hostId), node: name }}>
          {name}
        </TextLink>
        {hot && <Badge color="red">{texts.marks.overloaded}</Badge>}
        {status !== "ONLINE" && <Badge color="red">{statusText(status)}</Badge>}
      </Group>
    ),
  },
  { accessor: "status", title: texts.columns.status, render: ({ status }) => <Status value={status} /> },
  {
    accessor: "cpuAverage30m",
    title: texts.columns.cpuAverage,
    render: ({ cpuAverage30m, cpuUsage, cpuCores, loadKnown }) => (
      <Hint label={texts.node.cpuNow(percent(loadKnown ? cpuUsage : null), cpuCores)}>
        <Meter label={texts.columns.cpu} value={cpuAverage30m} />
      </Hint>
    ),
  },
  {
    accessor: "memoryUsedMb",
    title: texts.columns.ram,
    render: ({ memoryMb, memoryUsedMb, loadKnown }) => (
      <Hint label={texts.partOf(mebibytes(loadKnown ? memoryUsedMb : null), mebibytes(memoryMb))}>
        <Meter label={texts.columns.ram} value={loadKnown && memoryMb > 0 ? memoryUsedMb / memoryMb : null} />
      </Hint>
    ),
  },
  { accessor: "guestCount", title: texts.columns.guests, textAlign: "right", cellsClassName: "number" },
  {
    accessor: "uptimeSeconds",
    title: texts.columns.uptime,
    cellsClassName: "number",
    render: ({ uptimeSeconds }) => span(uptimeSeconds),
  },
  { accessor: "agent", title: texts.columns.agent, render: ({ agent }) => <AgentMark agent={agent} /> },
  {
    accessor: "host.lastSyncAt",
    title: texts.columns.lastSync,
    cellsClassName: "number",
    width: 92,
    render: ({ host }) => <Age at={host.lastSyncAt} />,
  },
];

function AgentMark({ agent }: { readonly agent: NodeLoadFragment["agent"] }) {
  if (agent === null) {
    return (
      <Text span c="dimmed" fz="inherit">
        {texts.agent.none}
      </Text>
    );
  }
  if (!agent.current) return <Badge color="red">{texts.agent.stale}</Badge>;
  return (
    <Text span fz="inherit">
      {texts.agent.version(agent.version ?? "–", agent.healthy)}
    </Text>
  );
}
