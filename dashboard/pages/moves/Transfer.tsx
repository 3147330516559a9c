// How far a move has copied and at what rate, and what the transfer said on the way.
import { Group, Progress, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { bytes, percent, span } from "../../format.js";
import type { MigrationWholeFragment } from "../../generated/documents.js";
import { useRate } from "./rate.js";
import { texts as migrationTexts } from "../../texts/migrations.js";

const texts = migrationTexts.page;

export function Transfer({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { progress, bytesCopied, bytesTotal, averageBytesPerSecond, durationSeconds, status } = migration;
  const rate = useRate(bytesCopied);
  const running = status === "RUNNING";
  return (
    <Stack gap="xs">
      <Progress
        size="lg"
        value={(progress ?? 0) * 100}
        color={status === "FAILED" ? "red.6" : "harbour.6"}
        animated={running}
        aria-label={texts.progressLabel}
      />
      <Group gap="xl" className="number figure-line">
        <Figure name={migrationTexts.columns.progress} value={percent(progress)} />
        <Figure name={texts.copied} value={texts.copiedOf(bytes(bytesCopied), bytes(bytesTotal))} />
        <Figure
          name={texts.currentRate}
          value={running && rate !== null ? migrationTexts.perSecond(bytes(rate)) : "–"}
        />
        <Figure
          name={texts.averageRate}
          value={averageBytesPerSecond === null ? "–" : migrationTexts.perSecond(bytes(averageBytesPerSecond))}
        />
        <Figure name={running ? texts.elapsed : migrationTexts.columns.duration} value={span(durationSeconds)} />
      </Group>
    </Stack>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <Text fz="xs" c="dimmed">
        {name}
      </Text>
      <Text fz="md" fw={600}>
        {value}
      </Text>
    </div>
  );
}

/** Follows its own end while lines come in. */
export function LogLines({ lines, live }: { readonly lines: readonly string[]; readonly live: boolean }) {
  const place = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (live && place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  }, [lines.length, live]);
  return (
    <pre className="log" ref={place} tabIndex={0} aria-label={texts.log}>
      {lines.length === 0 ? texts.noLog : lines.join("\n")}
    </pre>
  );
}
