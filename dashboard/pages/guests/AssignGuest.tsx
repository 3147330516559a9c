// Gives a guest to a user.
import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { UserSelect } from "../../components/UserSelect.js";
import { AssignGuestDocument } from "../../generated/documents.js";
import type { ShownGuest } from "./shownGuest.js";
import { texts } from "../../texts/guests.js";

interface Properties {
  readonly guest: ShownGuest;
  readonly assigned: () => void;
}

export function AssignGuest({ guest, assigned }: Properties) {
  const [opened, setOpened] = useState(false);
  const form = useForm({
    initialValues: { userId: null as string | null },
    validate: { userId: (value) => (value === null ? texts.owner.missing : null) },
  });
  const [assign, busy] = useAct(AssignGuestDocument, {
    done: ({ assignGuest }) => texts.owner.done(guest.name, assignGuest.owner?.username ?? texts.page.noOwner),
    failed: texts.owner.failed(guest.name),
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
        {texts.asks(texts.owner.change)}
      </Button>
      <FormDialog
        form={form}
        opened={opened}
        close={() => setOpened(false)}
        title={texts.owner.title(guest.name)}
        verb={texts.owner.change}
        busy={busy}
        onSubmit={(values) => void give(values)}
      >
        <UserSelect label={texts.owner.user} data-autofocus {...form.getInputProps("userId")} />
      </FormDialog>
    </>
  );
}
