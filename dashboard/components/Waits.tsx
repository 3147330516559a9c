// Tells that work which runs does not go on for the moment: what it waits for, since when, and when it tries again.
import { Alert, Text } from "@mantine/core";
import type { WaitingForWholeFragment } from "../generated/documents.js";
import { Age } from "./Age.js";
import { TextLink } from "./links.js";
import { texts } from "../texts/common.js";

/** Null: it goes on. */
export function Waits({ of }: { readonly of: WaitingForWholeFragment | null }) {
  if (of === null) return null;
  const { hostId, reason, since, triesAgainAt } = of;
  return (
    <Alert color="yellow" title={hostId === null ? texts.work.waiting : texts.work.waitingForHost}>
      {reason}
      <Text fz="sm" mt={4}>
        {texts.work.waitingSince} <Age at={since} /> · {texts.work.nextRetry} <Age at={triesAgainAt} />{" "}
        {hostId !== null && (
          <>
            ·{" "}
            <TextLink to="/hosts/$hostId" params={{ hostId: String(hostId) }}>
              {texts.work.showHost}
            </TextLink>
          </>
        )}
      </Text>
    </Alert>
  );
}
