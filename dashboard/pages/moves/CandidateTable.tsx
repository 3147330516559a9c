// The guests of a host that could leave it, each with its destination and what is in its way.
import { Badge, Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useHostNames } from "../../components/hostNames.js";
import { LongText } from "../../components/LongText.js";
import { usePages } from "../../components/Pager.js";
import { Status } from "../../components/Status.js";
import { Table, type Column } from "../../components/Table.js";
import { mebibytes, span } from "../../format.js";
import { diskText } from "../../guestDisk.js";
import { AddressMark } from "./MigrationPlanView.js";
import type { EvacuationCandidatesQuery } from "../../generated/documents.js";
import { texts as evacuationTexts } from "../../texts/evacuations.js";
import { texts as common } from "../../texts/common.js";
import { guestTypeMark, migrationModeText } from "../../texts/terms.js";

export type Candidate = EvacuationCandidatesQuery["evacuationCandidates"][number];

interface Properties {
  readonly candidates: readonly Candidate[];
  readonly chosen: readonly Candidate[];
  readonly choose: (candidates: readonly Candidate[]) => void;
}

const texts = evacuationTexts.create;
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
      empty={texts.empty}
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
    title: texts.columns.guest,
    render: ({ guest }) => (
      <Stack gap={0}>
        <Text span fz="sm" fw={500}>
          {guest.name}
        </Text>
        <Text span fz="xs" c="dimmed">
          {texts.size(guest.vmid, guestTypeMark(guest.type), mebibytes(guest.memoryMb), diskText(guest))}
        </Text>
      </Stack>
    ),
  },
  { accessor: "guest.status", title: texts.columns.status, render: ({ guest }) => <Status value={guest.status} /> },
  { accessor: "guest.node", title: texts.columns.sourceNode },
  {
    accessor: "toNode",
    title: texts.columns.target,
    render: ({ toHostId, toNode }) =>
      toHostId === null ? (
        <Badge color="red">{texts.noCapacity}</Badge>
      ) : (
        common.hostAndNode(nameOf(toHostId), toNode ?? "")
      ),
  },
  { accessor: "mode", title: texts.columns.mode, render: ({ mode }) => migrationModeText(mode) },
  {
    accessor: "expectedSeconds",
    title: texts.columns.duration,
    render: ({ expectedSeconds, transferSeconds }) => (
      <Stack gap={0}>
        <Text span fz="sm">
          {expectedSeconds === null ? texts.unknown : span(expectedSeconds)}
        </Text>
        {transferSeconds !== null && (
          <Text span fz="xs" c="dimmed">
            {texts.byAmount(span(transferSeconds))}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    accessor: "ipPlan",
    title: texts.columns.address,
    render: ({ ipPlan }) => <AddressMark plan={ipPlan} />,
  },
  {
    accessor: "problems",
    cellsClassName: "wrap",
    title: texts.columns.blocking,
    render: ({ problems }) =>
      problems.length === 0 ? (
        <Text span c="dimmed" fz="xs">
          {texts.none}
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
