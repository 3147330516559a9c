// The form that forwards a public port to a guest.
import { NumberInput, SegmentedControl } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { CreatePortForwardDocument } from "../../generated/documents.js";
import type { ShownGuest } from "../guests/shownGuest.js";
import { texts as guestTexts } from "../../texts/guests.js";

const texts = guestTexts.forwards;
const LAST_PORT = 65_535;

interface Properties {
  readonly guest: ShownGuest;
  readonly opened: boolean;
  readonly close: () => void;
  readonly added: () => void;
}

export function AddPortForward({ guest, opened, close, added }: Properties) {
  const form = useForm({
    initialValues: { protocol: "tcp", guestPort: "" as number | string, publicPort: "" as number | string },
    validate: { guestPort: (value) => (value === "" ? texts.guestPortMissing : null) },
  });
  const [create, busy] = useAct(CreatePortForwardDocument, {
    done: ({ createPortForward }) => texts.added(createPortForward.publicPort, guest.node, guest.name),
    failed: texts.addFailed,
    refused: markWrong(form),
  });
  async function add({ protocol, guestPort, publicPort }: typeof form.values): Promise<void> {
    const made = await create({
      guestId: guest.id,
      protocol,
      guestPort: Number(guestPort),
      publicPort: publicPort === "" ? null : Number(publicPort),
    });
    if (made === null) return;
    form.reset();
    close();
    added();
  }
  return (
    <FormDialog
      form={form}
      opened={opened}
      close={close}
      title={texts.addTitle(guest.name)}
      note={texts.addNote}
      verb={texts.addVerb}
      busy={busy}
      onSubmit={(values) => void add(values)}
    >
      <SegmentedControl aria-label={texts.protocol} data={["tcp", "udp"]} {...form.getInputProps("protocol")} />
      <NumberInput
        label={texts.guestPort}
        min={1}
        max={LAST_PORT}
        data-autofocus
        {...form.getInputProps("guestPort")}
      />
      <NumberInput
        label={texts.publicPortOf(guest.node)}
        description={texts.publicPortHint}
        min={1}
        max={LAST_PORT}
        {...form.getInputProps("publicPort")}
      />
    </FormDialog>
  );
}
