// Tells that work has failed although it still runs: why, and how far it is that what it did is taken back.
import { Alert, Text } from "@mantine/core";
import { words } from "../format.js";
import type { TakingBackWholeFragment } from "../generated/documents.js";
import { Age } from "./Age.js";
import { FailureText } from "./FailureText.js";

/** Null: nothing is taken back. */
export function TakingBack({ of }: { readonly of: TakingBackWholeFragment | null }) {
  if (of === null) return null;
  const { reason, step, since, doing } = of;
  return (
    <Alert color="orange" title="It failed, and what it did is being taken back">
      <FailureText error={reason} />
      <Text fz="sm" mt={4}>
        {step !== null && `It failed at ${words(step)}`}
        {step !== null && since !== null && ", "}
        {since !== null && <Age at={since} />}
        {(step !== null || since !== null) && ". "}
        {doing === null ? "It ends as failed once nothing is left of it." : `Now: ${doing}.`}
      </Text>
    </Alert>
  );
}

interface Work {
  readonly status: string;
  readonly takingBack: TakingBackWholeFragment | null;
  readonly waitingFor: { readonly reason: string } | null;
}

/** What the status of work is called where there is room for a word: that it does not go on matters most. */
export function statusOf({ status, takingBack, waitingFor }: Work): string {
  if (waitingFor !== null) return "HELD_UP";
  return takingBack === null ? status : "TAKING_BACK";
}

/** What keeps work from going well, in one line; null: nothing does. */
export const troubleOf = ({ takingBack, waitingFor }: Work): string | null =>
  waitingFor?.reason ?? takingBack?.reason ?? null;
