// How a run stands at a glance: what became of its guests as one bar and in figures, and the guest that moves now.
import { Group, Progress, Stack, Text } from "@mantine/core";
import type { RunItemRowFragment, RunItemStatus } from "../generated/documents.js";
import { grouped, percent } from "../format.js";
import { Age } from "./Age.js";
import { useHostNames } from "./hostNames.js";
import { TextLink } from "./links.js";
import { colorOfWork } from "./Status.js";
import { texts } from "../texts/common.js";
import { runItemStatusText, stepText } from "../texts/terms.js";

interface Properties {
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly items: readonly RunItemRowFragment[];
}

/** Settled ones first, in the order in which the bar shows them. */
const OUTCOMES: readonly RunItemStatus[] = ["DONE", "DONE_WITH_WARNINGS", "FAILED", "SKIPPED", "RUNNING", "WAITING"];
/** What is still to come leaves the bar empty. */
const SETTLED = OUTCOMES.slice(0, -2);

export function RunProgress({ startedAt, finishedAt, items }: Properties) {
  const outcomes = OUTCOMES.map((status) => ({
    status,
    many: items.filter((item) => item.status === status).length,
  })).filter(({ many }) => many > 0);
  const settled = outcomes.filter(({ status }) => SETTLED.includes(status));
  const done = settled.reduce((sum, { many }) => sum + many, 0);
  return (
    <Stack gap={6}>
      <Progress.Root size="lg" role="group" aria-label={texts.work.processed(done, items.length)}>
        {settled.map(({ status, many }) => (
          <Progress.Section
            key={status}
            value={(many / items.length) * 100}
            color={`${colorOfWork(status)}.6`}
            aria-label={texts.work.share(runItemStatusText(status))}
          />
        ))}
      </Progress.Root>
      <Group gap="lg" className="figure-line" aria-live="polite">
        <Text fz="sm" fw={600} className="number">
          {texts.work.processed(done, items.length)}
        </Text>
        {outcomes.map(({ status, many }) => (
          <span key={status} className={`number status status-${colorOfWork(status)}`}>
            {grouped(many)} {runItemStatusText(status)}
          </span>
        ))}
      </Group>
      <Text fz="sm" c="dimmed">
        {texts.work.started} <Age at={startedAt} never={texts.work.notYet} />
        {finishedAt !== null && (
          <>
            {" · "}
            {texts.work.finished} <Age at={finishedAt} />
          </>
        )}
      </Text>
      <MovingNow item={items.find(({ status }) => status === "RUNNING")} />
    </Stack>
  );
}

/** Its line, with a bar of its own, may stand on another page of the list. */
function MovingNow({ item }: { readonly item: RunItemRowFragment | undefined }) {
  const { nameOf } = useHostNames();
  if (item?.migration === null || item?.migration === undefined) return null;
  const { id, targetHostId, targetNode, step, progress } = item.migration;
  return (
    <Text fz="sm" className="number">
      {texts.work.migratingNow}{" "}
      <TextLink to="/migrations/$id" params={{ id: String(id) }}>
        {texts.guestAndVmid(item.guestName, item.vmid)}
      </TextLink>{" "}
      → {texts.hostAndNode(nameOf(targetHostId), targetNode)}, {stepText(step)}, {percent(progress)}
    </Text>
  );
}
