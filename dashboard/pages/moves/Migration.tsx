// One move: followed live with bytes and rate, tried again when it failed, and what became of the original.
import { Alert, Button, Grid, Group, Progress, Stack, Stepper, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useSubscription } from "urql";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { Facts } from "../../components/Facts.js";
import { FailureText } from "../../components/FailureText.js";
import { guestAddress } from "../../components/guestColumns.js";
import { useHostNames } from "../../components/hostNames.js";
import { TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { Stalled } from "../../components/Stalled.js";
import { Status } from "../../components/Status.js";
import { statusOf, TakingBack } from "../../components/TakingBack.js";
import { Waits } from "../../components/Waits.js";
import { bytes, count, percent, span, words } from "../../format.js";
import {
  MigrationDocument,
  MigrationProgressDocument,
  RetryMigrationDocument,
  type MigrationStep,
  type MigrationWholeFragment,
} from "../../generated/documents.js";
import { useRate } from "./rate.js";

const STEPS: readonly MigrationStep[] = [
  "PREFLIGHT",
  "REACHABILITY",
  "TARGET_TOKEN",
  "TRANSFER",
  "IP_PLAN",
  "PORT_FORWARDS",
  "RECORDS",
  "SAFETY_COPY",
  "FINISHED",
];

export function MigrationPage() {
  const { id } = useParams({ from: "/shell/migrations/$id" });
  const live = useLive({
    query: MigrationDocument,
    variables: { id: Number(id) },
    kinds: ["MIGRATION", "JOB"],
    keep: false,
  });
  const [{ data: followed }] = useSubscription({ query: MigrationProgressDocument, variables: { id: Number(id) } });
  const told = followed?.migrationProgress;
  const read = live.data?.migration;
  // What is told comes sooner than what is read, but ends with the move: a move that is tried again is read.
  const migration = told !== undefined && told.id === Number(id) && isUnderWay(told) ? told : (read ?? told);
  return (
    <Page
      title={migration === undefined ? `Move ${id}` : `Move of ${migration.guestName}`}
      mark={migration && <Status value={statusOf(migration)} work />}
      above={[<TextLink to="/migrations">Migrations</TextLink>]}
      readAt={live.readAt}
      actions={migration && <Retry migration={migration} refresh={live.refresh} />}
    >
      <Answer live={live} lines={10}>
        {(data) => <Whole migration={migration ?? data.migration} />}
      </Answer>
    </Page>
  );
}

const isUnderWay = ({ status }: MigrationWholeFragment): boolean => status === "RUNNING" || status === "QUEUED";

function Retry({ migration, refresh }: { readonly migration: MigrationWholeFragment; readonly refresh: () => void }) {
  const [retry, busy] = useAct(RetryMigrationDocument, {
    done: () => `The move of ${migration.guestName} is tried again.`,
    failed: "It was not tried again",
  });
  if (!migration.retryable) return null;
  return (
    <Button loading={busy} onClick={() => void retry({ id: migration.id }).then(refresh)}>
      Try again
    </Button>
  );
}

function Whole({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { error, warnings, transferDone, status } = migration;
  return (
    <Stack gap="sm">
      {error !== null && (
        <Alert
          color="red"
          title={
            transferDone
              ? "It failed after the transfer: the guest is on the target"
              : "It failed: the guest is where it was"
          }
        >
          <FailureText error={error} />
        </Alert>
      )}
      <Waits of={migration.waitingFor} />
      <TakingBack of={migration.takingBack} />
      <Stalled notice={migration.notice} />
      <Warnings warnings={warnings} />
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="sm">
            <Section title="Transfer">
              <Transfer migration={migration} />
            </Section>
            <Section title="Log of the transfer">
              <LogLines lines={migration.log} live={status === "RUNNING"} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="sm">
            <Section title="Steps">
              <Steps migration={migration} />
            </Section>
            <MoveFacts migration={migration} />
            <Foreseen foreseen={migration.foreseen} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" title={`The guest has moved, with ${count(warnings.length, "warning")}`}>
      <Stack gap={6}>
        {warnings.map((warning) => (
          <div key={warning}>{warning}</div>
        ))}
      </Stack>
    </Alert>
  );
}

/** What the operator was told before the start, and may have to do by hand afterwards. */
function Foreseen({ foreseen }: { readonly foreseen: readonly string[] }) {
  if (foreseen.length === 0) return null;
  return (
    <Section title="Known before the start">
      <Stack gap="xs">
        {foreseen.map((warning) => (
          <Text key={warning} size="sm">
            {warning.replace(/^[A-Z_]+: /, "")}
          </Text>
        ))}
      </Stack>
    </Section>
  );
}

function Transfer({ migration }: { readonly migration: MigrationWholeFragment }) {
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

function Steps({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { step, status, takingBack } = migration;
  const ended = status === "DONE" || status === "DONE_WITH_WARNINGS";
  const active = ended ? STEPS.length : STEPS.indexOf(step);
  return (
    <Stepper
      active={status === "QUEUED" ? -1 : active}
      orientation="vertical"
      size="xs"
      iconSize={20}
      allowNextStepsSelect={false}
    >
      {STEPS.slice(0, -1).map((each, place) => (
        <Stepper.Step
          key={each}
          component="div"
          label={words(each)}
          color={(status === "FAILED" || takingBack !== null) && place === active ? "red" : "harbour"}
          loading={status === "RUNNING" && takingBack === null && place === active}
        />
      ))}
    </Stepper>
  );
}

function MoveFacts({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { nameOf } = useHostNames();
  const { guestType: type, transferDone, sourceHostId, targetHostId, vmid, targetVmid } = migration;
  const there = transferDone ? { hostId: targetHostId, type, vmid: targetVmid } : { hostId: sourceHostId, type, vmid };
  return (
    <Section title="Move">
      <Facts
        facts={[
          [
            "Guest",
            <TextLink key="guest" {...guestAddress(there)}>
              {migration.guestName}
            </TextLink>,
          ],
          ["From", `${nameOf(sourceHostId)} / ${migration.sourceNode}, VMID ${vmid}`],
          ["To", `${nameOf(targetHostId)} / ${migration.targetNode}, VMID ${targetVmid}`],
          ["How", words(migration.mode)],
          ["Started", <Age key="started" at={migration.startedAt} never="waiting for its turn" />],
          ["Ended", migration.finishedAt === null ? null : <Age key="ended" at={migration.finishedAt} />],
          ["Safety copy", <SafetyCopyFact key="copy" migration={migration} />],
          ["Part of", <PartOf key="run" migration={migration} />],
        ]}
      />
    </Section>
  );
}

function SafetyCopyFact({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { safetyCopy, safetyCopyDeleteAt } = migration;
  if (safetyCopy !== "KEPT") return <>{words(safetyCopy)}</>;
  return (
    <>
      <TextLink to="/safety-copies">kept</TextLink>
      {safetyCopyDeleteAt !== null && (
        <>
          , deleted <Age at={safetyCopyDeleteAt} />
        </>
      )}
    </>
  );
}

function PartOf({ migration: { evacuationId, balanceRunId } }: { readonly migration: MigrationWholeFragment }) {
  if (evacuationId !== null) {
    return (
      <TextLink to="/evacuations/$id" params={{ id: String(evacuationId) }}>
        evacuation {evacuationId}
      </TextLink>
    );
  }
  if (balanceRunId === null) return <>nothing else</>;
  return (
    <TextLink to="/balance/$id" params={{ id: String(balanceRunId) }}>
      balance run {balanceRunId}
    </TextLink>
  );
}

/** Follows its own end while lines come in. */
function LogLines({ lines, live }: { readonly lines: readonly string[]; readonly live: boolean }) {
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
