// CPU and RAM of a node over time.
import { Group, Text, useComputedColorScheme, useMantineTheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import uPlot, { type AlignedData, type Options } from "uplot";
import "uplot/dist/uPlot.min.css";
import { percent } from "../format.js";
import { texts } from "../texts/common.js";

interface Sample {
  readonly at: string;
  readonly cpuUsage: number;
  readonly memoryUsedMb: number;
}

interface Properties {
  readonly samples: readonly Sample[];
  readonly memoryMb: number;
  readonly height?: number;
  /** Names the chart for those who do not see it. */
  readonly label: string;
}

/** Two samples that are further apart than this have a gap between them, seconds. */
const GAP_SECONDS = 150;

export function LoadChart({ samples, memoryMb, height = 180, label }: Properties) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const colors = useColors();
  const data = seriesOf(samples, memoryMb);
  const newest = useRef(data);
  newest.current = data;

  useEffect(() => {
    if (place.current === null || width === 0) return undefined;
    const made = new uPlot(optionsOf({ width, height, colors }), newest.current, place.current);
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [width, height, colors]);
  useEffect(() => chart.current?.setData(data), [data]);

  const last = samples.at(-1);
  return (
    <div ref={ref}>
      <Group gap="md" mb={4}>
        <Legend color={colors.cpu} text={texts.chart.cpu(percent(last?.cpuUsage))} />
        <Legend
          color={colors.memory}
          text={texts.chart.ram(percent(last === undefined ? null : last.memoryUsedMb / memoryMb))}
        />
      </Group>
      <div ref={place} role="img" aria-label={described(label, samples, memoryMb)} style={{ minHeight: height }} />
      {samples.length === 0 && (
        <Text fz="xs" c="dimmed">
          {texts.chart.noSamples}
        </Text>
      )}
    </div>
  );
}

function Legend({ color, text }: { readonly color: string; readonly text: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <span aria-hidden style={{ width: 12, height: 3, background: color }} />
      <Text fz="xs" className="number">
        {text}
      </Text>
    </Group>
  );
}

interface Colors {
  readonly cpu: string;
  readonly memory: string;
  readonly text: string;
  readonly grid: string;
}

const LIGHT = { text: "#53606b", grid: "#e4e8eb" };
const DARK = { text: "#a3adb5", grid: "#2a3036" };
const known = new Map<string, Colors>();

/** The same object for the same scheme: the chart is only made anew when it must be. */
function useColors(): Colors {
  const { colors } = useMantineTheme();
  const scheme = useComputedColorScheme("light");
  const shade = scheme === "dark" ? 4 : 7;
  const made = known.get(scheme) ?? {
    cpu: colors["harbour"]?.[shade] ?? "#1c6ba6",
    memory: colors.orange[shade],
    ...(scheme === "dark" ? DARK : LIGHT),
  };
  known.set(scheme, made);
  return made;
}

function seriesOf(samples: readonly Sample[], memoryMb: number): AlignedData {
  const times: number[] = [];
  const cpu: (number | null)[] = [];
  const memory: (number | null)[] = [];
  for (const { at, cpuUsage, memoryUsedMb } of samples) {
    const time = Date.parse(at) / 1000;
    const before = times.at(-1);
    if (before !== undefined && time - before > GAP_SECONDS) {
      times.push(before + 1);
      cpu.push(null);
      memory.push(null);
    }
    times.push(time);
    cpu.push(cpuUsage * 100);
    memory.push(memoryMb === 0 ? null : (memoryUsedMb / memoryMb) * 100);
  }
  return [times, cpu, memory];
}

function optionsOf({ width, height, colors }: { width: number; height: number; colors: Colors }): Options {
  const axis = {
    stroke: colors.text,
    font: "11px system-ui, sans-serif",
    grid: { stroke: colors.grid, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: [0, 100] } },
    axes: [
      { ...axis, size: 26, values: [[60, "{HH}:{mm}", null, null, null, null, null, null, 1]] },
      { ...axis, size: 44, values: (_chart, splits) => splits.map((value) => `${value} %`) },
    ],
    series: [
      {},
      { label: texts.cpu, stroke: colors.cpu, width: 1.5, fill: `${colors.cpu}22`, points: { show: false } },
      { label: texts.ram, stroke: colors.memory, width: 1.5, points: { show: false } },
    ],
  };
}

function described(label: string, samples: readonly Sample[], memoryMb: number): string {
  if (samples.length === 0) return texts.chart.describedEmpty(label);
  const cpu = samples.map(({ cpuUsage }) => cpuUsage);
  const memory = samples.map(({ memoryUsedMb }) => memoryUsedMb / memoryMb);
  return texts.chart.described(label, range(cpu), range(memory), samples.length);
}

const range = (figures: readonly number[]): string =>
  texts.chart.range(percent(Math.min(...figures)), percent(Math.max(...figures)));
