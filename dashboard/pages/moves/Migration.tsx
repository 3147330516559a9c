// One move, followed live through its steps, and tried again when it failed.
import { Alert, Button, Grid, Stack, Stepper, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useSubscription } from "urql";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { FailureText } from "../../components/FailureText.js";
import { TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { Stalled } from "../../components/Stalled.js";
import { Status } from "../../components/Status.js";
import { statusOf, Rollback, UndoneSteps } from "../../components/Rollback.js";
import { Waits } from "../../components/Waits.js";
import { Warnings } from "../../components/Warnings.js";

import {
  MigrationDocument,
  MigrationProgressDocument,
  RetryMigrationDocument,
  type MigrationWholeFragment,
} from "../../generated/documents.js";
import { MoveFacts } from "./MoveFacts.js";
import { LogLines, Transfer } from "./Transfer.js";
import { texts as migrationTexts } from "../../texts/migrations.js";
import { MIGRATION_STEPS } from "../../../src/core/enums.js";
import { stepLabel } from "../../texts/terms.js";

const STEPS: readonly string[] = Object.keys(MIGRATION_STEPS);

const texts = migrationTexts.page;

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
      title={migration === undefined ? texts.number(id) : texts.title(migration.guestName)}
      mark={migration && <Status value={statusOf(migration)} work />}
      above={[<TextLink to="/migrations">{migrationTexts.title}</TextLink>]}
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
    done: () => texts.retried(migration.guestName),
    failed: texts.retryFailed,
  });
  if (!migration.retryable) return null;
  return (
    <Button loading={busy} onClick={() => void retry({ id: migration.id }).then(refresh)}>
      {texts.retry}
    </Button>
  );
}

function Whole({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { error, warnings, transferDone, status } = migration;
  return (
    <Stack gap="sm">
      {error !== null && (
        <Alert color="red" title={transferDone ? texts.failedAfterTransfer : texts.failedBeforeTransfer}>
          <FailureText error={error} />
        </Alert>
      )}
      <Waits of={migration.waitingFor} />
      <Rollback of={migration.rollback} />
      <UndoneSteps steps={migration.undoneSteps} />
      <Stalled notice={migration.notice} />
      <Warnings title={texts.warnings} warnings={warnings} />
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="sm">
            <Section title={texts.transfer}>
              <Transfer migration={migration} />
            </Section>
            <Section title={texts.log}>
              <LogLines lines={migration.log} live={status === "RUNNING"} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="sm">
            <Section title={texts.steps}>
              <Steps migration={migration} />
            </Section>
            <MoveFacts migration={migration} />
            <PlanWarnings warnings={migration.planWarnings} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

/** What the operator was told before the start, and may have to do by hand afterwards. */
function PlanWarnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Section title={texts.planWarnings}>
      <Stack gap="xs">
        {warnings.map((warning) => (
          <Text key={warning} size="sm">
            {warning.replace(/^[A-Z_]+: /, "")}
          </Text>
        ))}
      </Stack>
    </Section>
  );
}

function Steps({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { step, status, rollback } = migration;
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
          label={stepLabel(each)}
          color={(status === "FAILED" || rollback !== null) && place === active ? "red" : "harbour"}
          loading={status === "RUNNING" && rollback === null && place === active}
        />
      ))}
    </Stepper>
  );
}
