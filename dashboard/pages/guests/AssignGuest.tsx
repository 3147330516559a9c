// Gives a guest to a user.
import { Button, Stack } from "@mantine/core";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { UserSelect } from "../../components/UserSelect.js";
import { AssignGuestDocument } from "../../generated/documents.js";
import type { ShownGuest } from "./Guest.js";

interface Properties {
  readonly guest: ShownGuest;
  readonly assigned: () => void;
}

export function AssignGuest({ guest, assigned }: Properties) {
  const [opened, setOpened] = useState(false);
  const [userId, setUserId] = useState<string | null>(null);
  const [assign, busy] = useAct(AssignGuestDocument, {
    done: ({ assignGuest }) => `${guest.name} belongs to ${assignGuest.owner?.username ?? "nobody"} now.`,
    failed: `${guest.name} was not given away`,
  });
  async function give(): Promise<void> {
    const { hostId, type, vmid } = guest;
    if ((await assign({ hostId, type, vmid, userId: Number(userId) })) === null) return;
    setUserId(null);
    setOpened(false);
    assigned();
  }
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Give to a user…
      </Button>
      <FormDialog
        form={{ isDirty: () => userId !== null, reset: () => setUserId(null) }}
        opened={opened}
        close={() => setOpened(false)}
        title={`Give ${guest.name} to a user`}
      >
        <Stack gap="xs">
          <UserSelect label="User" value={userId} onChange={setUserId} data-autofocus />
          <Button disabled={userId === null} loading={busy} onClick={() => void give()}>
            Give
          </Button>
        </Stack>
      </FormDialog>
    </>
  );
}
