// A few moves, one below the other, with bytes and rate.
import { Group, Progress, Stack, Text } from "@mantine/core";
import { bytes } from "../format.js";
import type { MigrationRowFragment } from "../generated/documents.js";
import { Nothing } from "./Answer.js";
import { useHostNames } from "./hostNames.js";
import { TextLink } from "./links.js";
import { Status } from "./Status.js";
import { statusOf, troubleOf } from "./Rollback.js";
import { texts } from "../texts/common.js";
import { stepText } from "../texts/terms.js";

export function MoveList({
  moves,
  empty,
}: {
  readonly moves: readonly MigrationRowFragment[];
  readonly empty: string;
}) {
  const { nameOf } = useHostNames();
  if (moves.length === 0) return <Nothing>{empty}</Nothing>;
  return (
    <Stack gap={8}>
      {moves.map((move) => (
        <div key={move.id}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text fz="sm" truncate>
              <TextLink to="/migrations/$id" params={{ id: String(move.id) }}>
                {move.guestName}
              </TextLink>{" "}
              <Text span c="dimmed" fz="xs">
                {nameOf(move.sourceHostId)} → {texts.hostAndNode(nameOf(move.targetHostId), move.targetNode)}
              </Text>
            </Text>
            <Status value={statusOf(move)} work />
          </Group>
          {move.status === "RUNNING" && <MoveProgress move={move} />}
        </div>
      ))}
    </Stack>
  );
}

/** The bar of one move and what stands behind it. */
export function MoveProgress({ move }: { readonly move: MigrationRowFragment }) {
  const { id, progress, bytesCopied, bytesTotal, step } = move;
  return (
    <>
      <Progress value={(progress ?? 0) * 100} size={5} my={3} aria-label={texts.work.migrationProgress(id)} />
      <Text fz="xs" c="dimmed" className="number">
        {troubleOf(move) ?? stepText(step)}
        {bytesCopied !== null && ` · ${texts.of(bytes(bytesCopied), bytes(bytesTotal))}`}
      </Text>
    </>
  );
}
