// All hosts with their nodes; where a host is connected.
import { Badge, Button, Group, Select, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { Filters, isNarrowed } from "../../components/Filters.js";
import { TextLink } from "../../components/links.js";
import { Meter } from "../../components/Meter.js";
import { Page } from "../../components/Page.js";
import { Table, type Column } from "../../components/Table.js";
import { TypedText } from "../../components/TypedText.js";
import { endpoint, mebibytes, words } from "../../format.js";
import { HostsDocument, type HostsQuery } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { AddHost } from "./AddHost.js";

export function Hosts() {
  const { page = 1, perPage = DEFAULT_PER_PAGE, search, state } = useSearch({ from: "/shell/hosts" });
  const navigate = useNavigate({ from: "/hosts" });
  const [adding, setAdding] = useState(false);
  const filter = { search: search ?? null, inUse: state === undefined ? null : state === "used" };
  const live = useLive({ query: HostsDocument, variables: { ...filter, page, perPage }, kinds: ["HOST"] });
  return (
    <Page
      title="Hosts"
      readAt={live.readAt}
      actions={
        <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
          Connect a host
        </Button>
      }
    >
      <HostFilters />
      <Answer live={live} lines={8}>
        {({ hosts }) => (
          <Table
            rows={hosts.items}
            columns={COLUMNS}
            empty={isNarrowed(filter) ? "No host is like that." : "No host is connected yet. Connect the first one."}
            onOpen={({ id }) => void navigate({ to: "/hosts/$hostId", params: { hostId: String(id) } })}
            paging={{
              page,
              perPage,
              total: hosts.meta.total,
              onPage: (next) => void navigate({ search: (before) => ({ ...before, page: next }) }),
              onPerPage: (next) =>
                void navigate({ search: (before) => ({ ...before, perPage: next, page: undefined }) }),
            }}
          />
        )}
      </Answer>
      <AddHost opened={adding} close={() => setAdding(false)} added={live.refresh} />
    </Page>
  );
}

const STATES = [
  { value: "used", label: "In use" },
  { value: "unused", label: "Not in use, or cannot be read" },
] as const;

function HostFilters() {
  const { search = "", state } = useSearch({ from: "/shell/hosts" });
  const navigate = useNavigate({ from: "/hosts" });
  return (
    <Filters>
      <TypedText
        label="Search by name or address"
        value={search}
        pageSearch
        onSettled={(wanted) =>
          void navigate({
            search: (before) => ({ ...before, search: wanted || undefined, page: undefined }),
            replace: true,
          })
        }
      />
      <Select
        aria-label="State"
        placeholder="Any state"
        clearable
        w={230}
        data={STATES}
        value={state ?? null}
        onChange={(value) =>
          void navigate({
            search: (before) => ({ ...before, state: value ?? undefined, page: undefined }),
            replace: true,
          })
        }
      />
    </Filters>
  );
}

type Row = HostsQuery["hosts"]["items"][number];

/** Of a host with more nodes the others are on its page. */
const NODES_NAMED = 8;

const COLUMNS: Column<Row>[] = [
  {
    accessor: "name",
    cellsClassName: "wrap name",
    title: "Host",
    render: ({ id, name, hostname, port }) => (
      <Stack gap={0}>
        <TextLink to="/hosts/$hostId" params={{ hostId: String(id) }} fw={500}>
          {name}
        </TextLink>
        <Text fz="xs" c="dimmed">
          {endpoint(hostname, port)}
        </Text>
      </Stack>
    ),
  },
  { accessor: "status", title: "State", render: (host) => <HostState host={host} /> },
  {
    accessor: "kind",
    title: "Kind",
    render: ({ kind, clusterName }) => (clusterName === null ? words(kind) : `cluster ${clusterName}`),
  },
  {
    accessor: "nodes",
    cellsClassName: "wrap",
    title: "Nodes",
    render: ({ id, nodes }) => (
      <Group gap={8}>
        {nodes.slice(0, NODES_NAMED).map(({ name, hot, status }) => (
          <Group key={name} gap={4} wrap="nowrap">
            <TextLink to="/hosts/$hostId/nodes/$node" params={{ hostId: String(id), node: name }}>
              {name}
            </TextLink>
            {hot && <Badge color="red">hot</Badge>}
            {status !== "ONLINE" && <Badge color="red">{words(status)}</Badge>}
          </Group>
        ))}
        {nodes.length > NODES_NAMED && (
          <TextLink to="/hosts/$hostId" params={{ hostId: String(id) }}>
            and {nodes.length - NODES_NAMED} more
          </TextLink>
        )}
      </Group>
    ),
  },
  { accessor: "cpu", title: "CPU, 30 min", render: ({ nodes }) => <Meter label="CPU" value={averageCpu(nodes)} /> },
  {
    accessor: "memory",
    title: "RAM",
    render: ({ nodes }) => {
      const total = sum(nodes, ({ memoryMb }) => memoryMb);
      const used = sum(nodes, ({ memoryUsedMb }) => memoryUsedMb);
      return (
        <Meter
          label="RAM"
          value={total === 0 ? null : used / total}
          figure={`${mebibytes(used)} / ${mebibytes(total)}`}
        />
      );
    },
  },
  { accessor: "guestCount", title: "Guests", textAlign: "right", cellsClassName: "number" },
  { accessor: "version", title: "Version", render: ({ version }) => version ?? "–" },
  { accessor: "lastSyncAt", title: "Read", width: 100, render: ({ lastSyncAt }) => <Age at={lastSyncAt} /> },
];

const sum = (nodes: Row["nodes"], figure: (node: Row["nodes"][number]) => number): number =>
  nodes.reduce((total, node) => total + figure(node), 0);

/** Of all threads, nodes without a sample left out. */
function averageCpu(nodes: Row["nodes"]): number | null {
  const known = nodes.filter(({ cpuAverage30m }) => cpuAverage30m !== null);
  const threads = sum(known, ({ cpuCores }) => cpuCores);
  return threads === 0 ? null : sum(known, ({ cpuAverage30m, cpuCores }) => (cpuAverage30m ?? 0) * cpuCores) / threads;
}

export function HostState({ host }: { readonly host: Pick<Row, "active" | "maintenance" | "lastSyncError"> }) {
  return (
    <Group gap={4}>
      {!host.active && <Badge color="gray">not used</Badge>}
      {host.maintenance && <Badge color="yellow">maintenance</Badge>}
      {host.lastSyncError !== null && (
        <Badge color="red" title={host.lastSyncError}>
          cannot be read
        </Badge>
      )}
      {host.active && !host.maintenance && host.lastSyncError === null && <Badge color="teal">in use</Badge>}
    </Group>
  );
}
