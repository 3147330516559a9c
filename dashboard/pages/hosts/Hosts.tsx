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
import { endpoint, mebibytes } from "../../format.js";
import { HostsDocument, type HostsQuery } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { AddHost } from "./AddHost.js";
import { texts as common } from "../../texts/common.js";
import { texts } from "../../texts/hosts.js";
import { hostTypeText, statusText } from "../../texts/terms.js";

export function Hosts() {
  const { page = 1, perPage = DEFAULT_PER_PAGE, search, state } = useSearch({ from: "/shell/hosts" });
  const navigate = useNavigate({ from: "/hosts" });
  const [adding, setAdding] = useState(false);
  const filter = { search: search ?? null, inUse: state === undefined ? null : state === "used" };
  const live = useLive({ query: HostsDocument, variables: { ...filter, page, perPage }, kinds: ["HOST"] });
  return (
    <Page
      title={texts.title}
      readAt={live.readAt}
      actions={
        <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
    >
      <HostFilters />
      <Answer live={live} lines={8}>
        {({ hosts }) => (
          <Table
            rows={hosts.items}
            columns={COLUMNS}
            empty={isNarrowed(filter) ? texts.noMatch : texts.empty}
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
  { value: "used", label: texts.states.used },
  { value: "unused", label: texts.states.unused },
] as const;

function HostFilters() {
  const { search = "", state } = useSearch({ from: "/shell/hosts" });
  const navigate = useNavigate({ from: "/hosts" });
  return (
    <Filters>
      <TypedText
        label={texts.search}
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
        aria-label={texts.state}
        placeholder={texts.anyState}
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
    title: texts.columns.host,
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
  { accessor: "status", title: texts.columns.state, render: (host) => <HostState host={host} /> },
  {
    accessor: "kind",
    title: texts.columns.type,
    render: hostTypeText,
  },
  {
    accessor: "nodes",
    cellsClassName: "wrap",
    title: texts.columns.nodes,
    render: ({ id, nodes }) => (
      <Group gap={8}>
        {nodes.slice(0, NODES_NAMED).map(({ name, hot, status }) => (
          <Group key={name} gap={4} wrap="nowrap">
            <TextLink to="/hosts/$hostId/nodes/$node" params={{ hostId: String(id), node: name }}>
              {name}
            </TextLink>
            {hot && <Badge color="red">{texts.marks.overloaded}</Badge>}
            {status !== "ONLINE" && <Badge color="red">{statusText(status)}</Badge>}
          </Group>
        ))}
        {nodes.length > NODES_NAMED && (
          <TextLink to="/hosts/$hostId" params={{ hostId: String(id) }}>
            {texts.moreNodes(nodes.length - NODES_NAMED)}
          </TextLink>
        )}
      </Group>
    ),
  },
  {
    accessor: "cpu",
    title: texts.columns.cpuAverage,
    render: ({ nodes }) => <Meter label={texts.columns.cpu} value={averageCpu(nodes)} />,
  },
  {
    accessor: "memory",
    title: texts.columns.ram,
    render: ({ nodes }) => {
      const known = nodes.filter(({ loadKnown }) => loadKnown);
      const total = sum(known, ({ memoryMb }) => memoryMb);
      const used = sum(known, ({ memoryUsedMb }) => memoryUsedMb);
      return (
        <Meter
          label={texts.columns.ram}
          value={total === 0 ? null : used / total}
          figure={total === 0 ? common.unknown : texts.usage(mebibytes(used), mebibytes(total))}
        />
      );
    },
  },
  { accessor: "guestCount", title: texts.columns.guests, textAlign: "right", cellsClassName: "number" },
  { accessor: "version", title: texts.columns.version, render: ({ version }) => version ?? "–" },
  {
    accessor: "lastSyncAt",
    title: texts.columns.lastSync,
    width: 100,
    render: ({ lastSyncAt }) => <Age at={lastSyncAt} />,
  },
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
      {!host.active && <Badge color="gray">{texts.marks.disabled}</Badge>}
      {host.maintenance && <Badge color="yellow">{texts.marks.maintenance}</Badge>}
      {host.lastSyncError !== null && (
        <Badge color="red" title={host.lastSyncError}>
          {texts.marks.unreachable}
        </Badge>
      )}
      {host.active && !host.maintenance && host.lastSyncError === null && (
        <Badge color="teal">{texts.marks.connected}</Badge>
      )}
    </Group>
  );
}
