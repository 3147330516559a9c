// A share of something as a bar with its figure: CPU, RAM, a disk.
import { Box, Group, Progress, Text } from "@mantine/core";
import { percent } from "../format.js";

interface Properties {
  /** For those who do not see the bar, such as `CPU`. */
  readonly label: string;
  /** Fraction 0..1; null: unknown. */
  readonly value: number | null | undefined;
  /** What stands beside the bar; the percentage when left out. */
  readonly figure?: string;
  /** From here on it is too much, fraction 0..1. */
  readonly limit?: number;
  readonly width?: number | string;
}

const NEARLY = 0.9;

export function Meter({ label, value, figure, limit = 0.9, width = 64 }: Properties) {
  if (value === null || value === undefined) {
    return (
      <Text span c="dimmed" fz="inherit">
        –
      </Text>
    );
  }
  const text = figure ?? percent(value);
  return (
    <Group gap={6} wrap="nowrap" w={width === "100%" ? "100%" : undefined}>
      <Box w={width} style={width === "100%" ? { flex: 1 } : undefined}>
        <Progress.Root size={6} radius="xl" aria-hidden>
          <Progress.Section value={Math.min(100, value * 100)} color={colorOf(value, limit)} withAria={false} />
        </Progress.Root>
      </Box>
      <Text span fz="inherit" style={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
        <span className="unseen">{label} </span>
        {text}
      </Text>
    </Group>
  );
}

function colorOf(value: number, limit: number): string {
  if (value >= limit) return "red.6";
  return value >= limit * NEARLY ? "orange.6" : "harbour.6";
}
