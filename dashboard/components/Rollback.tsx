// Shows that work has failed although it still runs: why, how far its rollback is, and what each step of it has left behind.
import { Alert, Stack, Text } from "@mantine/core";

import type { RollbackWholeFragment, UndoneStepRowFragment } from "../generated/documents.js";
import { Age } from "./Age.js";
import { FailureText } from "./FailureText.js";
import { texts } from "../texts/common.js";
import { stepLabel, stepText, undoText } from "../texts/terms.js";

/** Null: nothing is rolled back. */
export function Rollback({ of }: { readonly of: RollbackWholeFragment | null }) {
  if (of === null) return null;
  const { reason, step, since, doing } = of;
  return (
    <Alert color="orange" title={texts.work.rollingBack}>
      <FailureText error={reason} />
      <Text fz="sm" mt={4}>
        {step !== null && texts.work.failedAtStep(stepText(step))}
        {step !== null && since !== null && " · "}
        {since !== null && <Age at={since} />}
        {(step !== null || since !== null) && <br />}
        {doing === null ? texts.work.rollbackEnds : texts.work.rollbackStep(doing)}
      </Text>
    </Alert>
  );
}

/** The steps that a rollback has come to; nothing where there was none. */
export function UndoneSteps({ steps }: { readonly steps: readonly UndoneStepRowFragment[] }) {
  if (steps.length === 0) return null;
  return (
    <Alert color="gray" title={texts.work.undoneSteps}>
      <Stack gap={4}>
        {steps.map(({ step, status, error, startedAt, finishedAt }) => (
          <div key={step}>
            {stepLabel(step)}: {undoText(status)} · <Age at={finishedAt ?? startedAt} />
            {error !== null && <div>{error}</div>}
          </div>
        ))}
      </Stack>
    </Alert>
  );
}

interface Work {
  readonly status: string;
  readonly rollback: RollbackWholeFragment | null;
  readonly waitingFor: { readonly reason: string } | null;
}

/** What the status of work is called where there is room for a word: that it does not go on matters most. */
export function statusOf({ status, rollback, waitingFor }: Work): string {
  if (waitingFor !== null) return "HELD_UP";
  return rollback === null ? status : "ROLLBACK";
}

/** What keeps work from going well, in one line; null: nothing does. */
export const troubleOf = ({ rollback, waitingFor }: Work): string | null =>
  waitingFor?.reason ?? rollback?.reason ?? null;
