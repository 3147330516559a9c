// The guests of a host that could leave it, each with its destination and what is in its way.
import { Badge, Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useHostNames } from "../../components/hostNames.js";
import { LongText } from "../../components/LongText.js";
import { usePages } from "../../components/Pager.js";
import { Status } from "../../components/Status.js";
import { Table, type Column } from "../../components/Table.js";
import { gibibytes, mebibytes, span, words } from "../../format.js";
import { AddressMark } from "./MigrationPlanView.js";
import type { Candidate } from "./NewEvacuation.js";

interface Properties {
  readonly candidates: readonly Candidate[];
  readonly chosen: readonly Candidate[];
  readonly choose: (candidates: readonly Candidate[]) => void;
}

const CANDIDATES_A_PAGE = 50;

type Row = Candidate & { readonly id: number };
const rowOf = (candidate: Candidate): Row => ({ ...candidate, id: candidate.guest.id });

export function CandidateTable({ candidates, chosen, choose }: Properties) {
  const { nameOf } = useHostNames();
  const { shown, paging } = usePages(candidates, CANDIDATES_A_PAGE);
  return (
    <Table
      rows={shown.map(rowOf)}
      paging={paging}
      columns={useMemo(() => columns(nameOf), [nameOf])}
      empty="There is nothing to move: only templates, safety copies or busy guests are left."
      choosing={{
        chosen: chosen.map(rowOf),
        all: candidates.map(rowOf),
        onChoose: choose,
        choosable: ({ startable }) => startable,
        nameOf: ({ guest }) => guest.name,
      }}
    />
  );
}

const columns = (nameOf: (hostId: number | null) => string): Column<Row>[] => [
  {
    accessor: "guest.name",
    cellsClassName: "wrap name",
    title: "Guest",
    render: ({ guest }) => (
      <Stack gap={0}>
        <Text span fz="sm" fw={500}>
          {guest.name}
        </Text>
        <Text span fz="xs" c="dimmed">
          {guest.vmid} · {guest.type === "LXC" ? "CT" : "VM"} · {mebibytes(guest.memoryMb)}, {gibibytes(guest.diskGb)}
        </Text>
      </Stack>
    ),
  },
  { accessor: "guest.status", title: "Status", render: ({ guest }) => <Status value={guest.status} /> },
  { accessor: "guest.node", title: "From" },
  {
    accessor: "toNode",
    title: "To",
    render: ({ toHostId, toNode }) =>
      toHostId === null ? <Badge color="red">no room</Badge> : `${nameOf(toHostId)} / ${toNode}`,
  },
  { accessor: "mode", title: "How", render: ({ mode }) => words(mode) },
  {
    accessor: "expectedSeconds",
    title: "Takes",
    render: ({ expectedSeconds }) => (expectedSeconds === null ? "unknown" : span(expectedSeconds)),
  },
  {
    accessor: "ipPlan",
    title: "Address",
    render: ({ ipPlan }) => <AddressMark plan={ipPlan} />,
  },
  {
    accessor: "problems",
    cellsClassName: "wrap",
    title: "In the way",
    render: ({ problems }) =>
      problems.length === 0 ? (
        <Text span c="dimmed" fz="xs">
          nothing
        </Text>
      ) : (
        <Group gap={4}>
          {problems.map(({ code, message }) => (
            <Text key={code} fz="xs" c="var(--mantine-color-error)">
              <LongText text={message} />
            </Text>
          ))}
        </Group>
      ),
  },
];
