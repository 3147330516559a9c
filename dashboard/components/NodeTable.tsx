// Nodes with their load, one line each.
import { Badge, Group, Text } from "@mantine/core";
import { mebibytes, percent, span, words } from "../format.js";
import type { NodeLoadFragment } from "../generated/documents.js";
import { Age } from "./Age.js";
import { Hint } from "./Hint.js";
import { TextLink } from "./links.js";
import { Meter } from "./Meter.js";
import type { Paging } from "./Pager.js";
import { Status } from "./Status.js";
import { Table, type Column } from "./Table.js";

export interface NodeOfHost extends NodeLoadFragment {
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
      empty="There are no nodes yet."
    />
  );
}

/** Where hosts are named too, there is no room for what is told otherwise or seldom matters. */
const LEFT_OUT = ["status", "uptimeSeconds"];

type Row = NodeOfHost & { readonly id: string };

const HOST: Column<Row> = {
  accessor: "hostName",
  title: "Host",
  render: ({ hostId, hostName, host }) => (
    <Group gap={6} wrap="nowrap">
      <TextLink to="/hosts/$hostId" params={{ hostId: String(hostId) }}>
        {hostName}
      </TextLink>
      {host.maintenance && <Badge color="yellow">maintenance</Badge>}
    </Group>
  ),
};

const COLUMNS: Column<Row>[] = [
  {
    accessor: "name",
    title: "Node",
    render: ({ hostId, name, hot, status }) => (
      <Group gap={6} wrap="nowrap">
        <TextLink to="/hosts/$hostId/nodes/$node" params={{ hostId: String(hostId), node: name }}>
          {name}
        </TextLink>
        {hot && <Badge color="red">hot</Badge>}
        {status !== "ONLINE" && <Badge color="red">{words(status)}</Badge>}
      </Group>
    ),
  },
  { accessor: "status", title: "Status", render: ({ status }) => <Status value={status} /> },
  {
    accessor: "cpuAverage30m",
    title: "CPU, 30 min",
    render: ({ cpuAverage30m, cpuUsage, cpuCores }) => (
      <Hint label={`Now ${percent(cpuUsage)} of ${cpuCores} threads`}>
        <Meter label="CPU" value={cpuAverage30m} />
      </Hint>
    ),
  },
  {
    accessor: "memoryUsedMb",
    title: "RAM",
    render: ({ memoryMb, memoryUsedMb }) => (
      <Hint label={`${mebibytes(memoryUsedMb)} of ${mebibytes(memoryMb)}`}>
        <Meter label="RAM" value={memoryMb === 0 ? null : memoryUsedMb / memoryMb} />
      </Hint>
    ),
  },
  { accessor: "guestCount", title: "Guests", textAlign: "right", cellsClassName: "number" },
  {
    accessor: "uptimeSeconds",
    title: "Up",
    cellsClassName: "number",
    render: ({ uptimeSeconds }) => span(uptimeSeconds),
  },
  { accessor: "agent", title: "Agent", render: ({ agent }) => <AgentMark agent={agent} /> },
  {
    accessor: "host.lastSyncAt",
    title: "Read",
    cellsClassName: "number",
    width: 92,
    render: ({ host }) => <Age at={host.lastSyncAt} />,
  },
];

export function AgentMark({ agent }: { readonly agent: NodeLoadFragment["agent"] }) {
  if (agent === null) {
    return (
      <Text span c="dimmed" fz="inherit">
        none
      </Text>
    );
  }
  if (!agent.current) return <Badge color="red">silent</Badge>;
  return (
    <Text span fz="inherit">
      {agent.version ?? "–"}
      {!agent.healthy && " (unhealthy)"}
    </Text>
  );
}
