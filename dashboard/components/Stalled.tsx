// Says why work does not go on although nothing failed: nobody is there to do it.
import { Alert } from "@mantine/core";
import { texts } from "../texts/common.js";

/** The notice is the service's; null: it goes on. */
export function Stalled({ notice }: { readonly notice: string | null }) {
  if (notice === null) return null;
  return (
    <Alert color="yellow" title={texts.work.stalled}>
      {notice}
    </Alert>
  );
}
