// Says of work that runs that it waits for something, or has failed already and is taken back.
import { Alert } from "@mantine/core";
import { dayAndTime, words } from "../format.js";
import type { JobProgressSubscription } from "../generated/documents.js";

type Hindrance = Pick<JobProgressSubscription["jobProgress"], "takingBack" | "waitingFor">;

export function Hindered({ takingBack, waitingFor }: Hindrance) {
  return (
    <>
      {takingBack !== null && (
        <Alert
          color="red"
          title={`It failed${takingBack.step === null ? "" : ` (${words(takingBack.step)})`}, and is being taken back`}
        >
          {takingBack.reason}
          {takingBack.doing !== null && ` – ${takingBack.doing}`}
        </Alert>
      )}
      {waitingFor !== null && (
        <Alert color="yellow" title="It waits">
          {waitingFor.reason}; since {dayAndTime(waitingFor.since)}, tries again at{" "}
          {dayAndTime(waitingFor.triesAgainAt)}
        </Alert>
      )}
    </>
  );
}
