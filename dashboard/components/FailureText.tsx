// Why work failed, and apart from it what could not be undone: that is what somebody has to look after.
import { Text } from "@mantine/core";
import { texts } from "../texts/common.js";

/** How the service joins the two. */
const LEFT_BEHIND = "; left behind: ";

export function FailureText({ error }: { readonly error: string }) {
  const [reason = error, ...left] = error.split(LEFT_BEHIND);
  return (
    <>
      {reason}
      {left.length > 0 && (
        <Text fz="sm" mt={6}>
          <b>{texts.work.cleanupNeeded}</b> {left.join(LEFT_BEHIND)}
        </Text>
      )}
    </>
  );
}
