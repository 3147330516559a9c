// The form that forwards a public port to a guest.
import { NumberInput, SegmentedControl } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { CreatePortForwardDocument } from "../../generated/documents.js";
import type { ShownGuest } from "../guests/Guest.js";

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
    validate: { guestPort: (value) => (value === "" ? "The port on the guest" : null) },
  });
  const [create, busy] = useAct(CreatePortForwardDocument, {
    done: ({ createPortForward }) =>
      `Port ${createPortForward.publicPort} of ${guest.node} leads to ${guest.name} now.`,
    failed: "The forward was not made",
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
      title={`Forward a port to ${guest.name}`}
      note="The node's agent applies it within some seconds."
      verb="Forward"
      busy={busy}
      onSubmit={(values) => void add(values)}
    >
      <SegmentedControl aria-label="Protocol" data={["tcp", "udp"]} {...form.getInputProps("protocol")} />
      <NumberInput
        label="Port on the guest"
        min={1}
        max={LAST_PORT}
        data-autofocus
        {...form.getInputProps("guestPort")}
      />
      <NumberInput
        label={`Public port of ${guest.node}`}
        description="Left out: a free one is taken."
        min={1}
        max={LAST_PORT}
        {...form.getInputProps("publicPort")}
      />
    </FormDialog>
  );
}
