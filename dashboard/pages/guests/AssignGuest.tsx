// Gives a guest to a user.
import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { UserSelect } from "../../components/UserSelect.js";
import { AssignGuestDocument } from "../../generated/documents.js";
import type { ShownGuest } from "./Guest.js";

interface Properties {
  readonly guest: ShownGuest;
  readonly assigned: () => void;
}

export function AssignGuest({ guest, assigned }: Properties) {
  const [opened, setOpened] = useState(false);
  const form = useForm({
    initialValues: { userId: null as string | null },
    validate: { userId: (value) => (value === null ? "Whose it will be" : null) },
  });
  const [assign, busy] = useAct(AssignGuestDocument, {
    done: ({ assignGuest }) => `${guest.name} belongs to ${assignGuest.owner?.username ?? "nobody"} now.`,
    failed: `${guest.name} was not given away`,
    refused: markWrong(form),
  });
  async function give({ userId }: typeof form.values): Promise<void> {
    const { hostId, type, vmid } = guest;
    if ((await assign({ hostId, type, vmid, userId: Number(userId) })) === null) return;
    form.reset();
    setOpened(false);
    assigned();
  }
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Give to a user…
      </Button>
      <FormDialog
        form={form}
        opened={opened}
        close={() => setOpened(false)}
        title={`Give ${guest.name} to a user`}
        verb="Give"
        busy={busy}
        onSubmit={(values) => void give(values)}
      >
        <UserSelect label="User" data-autofocus {...form.getInputProps("userId")} />
      </FormDialog>
    </>
  );
}
