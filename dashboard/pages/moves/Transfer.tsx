// How far a move has copied and at what rate, and what the transfer said on the way.
import { Group, Progress, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { bytes, percent, span } from "../../format.js";
import type { MigrationWholeFragment } from "../../generated/documents.js";
import { useRate } from "./rate.js";

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
        aria-label="Progress of the move"
      />
      <Group gap="xl" className="number figure-line">
        <Figure name="Done" value={percent(progress)} />
        <Figure name="Copied" value={`${bytes(bytesCopied)} of ${bytes(bytesTotal)}`} />
        <Figure name="Rate now" value={running && rate !== null ? `${bytes(rate)}/s` : "–"} />
        <Figure name="Average" value={averageBytesPerSecond === null ? "–" : `${bytes(averageBytesPerSecond)}/s`} />
        <Figure name={running ? "Running for" : "Took"} value={span(durationSeconds)} />
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
    <pre className="log" ref={place} tabIndex={0} aria-label="Log of the transfer">
      {lines.length === 0 ? "Nothing was said yet." : lines.join("\n")}
    </pre>
  );
}
