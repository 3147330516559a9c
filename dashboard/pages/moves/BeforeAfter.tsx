// The load of every node now and after all suggestions, as two bars beside the threshold.
import { Box, Group, Progress, Stack, Text } from "@mantine/core";
import { useHostNames } from "../../components/hostNames.js";
import { Paged } from "../../components/Pager.js";
import type { BalanceReportQuery } from "../../generated/documents.js";
import { texts } from "../../texts/balance.js";
import { texts as common } from "../../texts/common.js";

const NODES_A_PAGE = 20;

interface Load {
  readonly hostId: number;
  readonly node: string;
  readonly cpu: { readonly before: number | null; readonly after: number | null };
  readonly memory: { readonly before: number; readonly after: number };
  readonly changes: boolean;
}

export function BeforeAfter({ data }: { readonly data: BalanceReportQuery }) {
  const { cpuThresholdPercent, ramThresholdPercent } = data.settings;
  const changing = data.balanceReport.suggestions.length > 0;
  const { nameOf } = useHostNames();
  return (
    <Stack gap="sm">
      <Paged rows={changesFirst(loadsOf(data))} perPage={NODES_A_PAGE}>
        {(shown) =>
          shown.map(({ hostId, node, cpu, memory, changes }) => {
            const name = common.hostAndNode(nameOf(hostId), node);
            return (
              <div key={`${hostId}/${node}`}>
                <Text fz="sm" fw={changes ? 600 : 400} mb={2}>
                  {name}
                </Text>
                <Bars name={texts.cpu} node={name} {...cpu} threshold={cpuThresholdPercent} withAfter={changing} />
                <Bars name={texts.ram} node={name} {...memory} threshold={ramThresholdPercent} withAfter={changing} />
              </div>
            );
          })
        }
      </Paged>
    </Stack>
  );
}

/** Of one host beside each other, and always in one order: a node must not jump about as its load changes. */
const inOrder = (one: Load, other: Load): number =>
  one.hostId - other.hostId || one.node.localeCompare(other.node, "en", { numeric: true });

/** Where all nodes are one page they stand in their own order. */
const changesFirst = (loads: readonly Load[]): readonly Load[] =>
  loads.length <= NODES_A_PAGE
    ? loads.toSorted(inOrder)
    : loads.toSorted((one, other) => Number(other.changes) - Number(one.changes) || inOrder(one, other));

function loadsOf({ balanceReport: { suggestions, predicted } }: BalanceReportQuery): Load[] {
  const changing = new Set(
    suggestions.flatMap(({ fromHostId, fromNode, toHostId, toNode }) => [
      `${fromHostId}/${fromNode}`,
      `${toHostId}/${toNode}`,
    ]),
  );
  return predicted.map(({ hostId, node, cpuPercent, cpuPercentNow, memoryPercent, memoryPercentNow }) => ({
    hostId,
    node,
    cpu: { before: cpuPercentNow, after: cpuPercent },
    memory: { before: memoryPercentNow, after: memoryPercent },
    changes: changing.has(`${hostId}/${node}`),
  }));
}

interface BarsProperties {
  readonly name: string;
  readonly node: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly threshold: number;
  readonly withAfter: boolean;
}

function Bars({ name, node, before, after, threshold, withAfter }: BarsProperties) {
  return (
    <Group gap="xs" wrap="nowrap" align="center" mb={4}>
      <Text fz="xs" c="dimmed" w={30}>
        {name}
      </Text>
      <Box flex={1} pos="relative">
        <Bar label={texts.loadOf(name, node)} value={before} threshold={threshold} pale={withAfter} />
        {withAfter && <Bar label={texts.loadAfter(name, node)} value={after} threshold={threshold} pale={false} />}
        <span className="threshold" aria-hidden ref={(mark) => mark?.style.setProperty("left", `${threshold}%`)} />
      </Box>
      <Text fz="xs" w={withAfter ? 92 : 44} ta="right" className="number">
        {figure(before)}
        {withAfter && ` → ${figure(after)}`}
      </Text>
    </Group>
  );
}

interface BarProperties {
  readonly label: string;
  readonly value: number | null;
  readonly threshold: number;
  /** What was, beside what will be. */
  readonly pale: boolean;
}

function Bar({ label, value, threshold, pale }: BarProperties) {
  const hot = (value ?? 0) > threshold;
  return (
    <Progress
      size={6}
      radius={0}
      mb={1}
      value={value ?? 0}
      color={hot ? (pale ? "red.3" : "red.6") : pale ? "harbour.2" : "harbour.6"}
      aria-label={label}
    />
  );
}

const figure = (value: number | null): string => (value === null ? "–" : `${Math.round(value)} %`);
