// The form that makes an IP zone.
import { Autocomplete, NumberInput, TagsInput, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { CreateIpZoneDocument } from "../../generated/documents.js";

interface Properties {
  readonly hostId: number;
  /** Bridges that the host has. */
  readonly bridges: readonly string[];
  readonly opened: boolean;
  readonly close: () => void;
  readonly added: () => void;
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

export function AddIpZone({ hostId, bridges, opened, close, added }: Properties) {
  const form = useForm({
    initialValues: {
      name: "",
      cidr: "",
      gateway: "",
      bridge: bridges[0] ?? "",
      vlan: "" as number | string,
      rangeStart: "",
      rangeEnd: "",
      nameservers: [] as string[],
      excluded: [] as string[],
    },
    validate: {
      name: isNotEmpty("A name, unique on the host"),
      cidr: (value) => (/^[\da-f.:]+\/\d+$/i.test(value) ? null : "A network, such as 192.0.2.0/24"),
      bridge: isNotEmpty("The bridge that guests are connected to"),
    },
  });
  const [create, busy] = useAct(CreateIpZoneDocument, {
    done: ({ createIpZone }) =>
      `${createIpZone.name} is there; addresses that guests use are taken over with the next reading.`,
    failed: "The zone was not made",
    refused: markWrong(form),
  });
  async function make({
    name,
    cidr,
    gateway,
    bridge,
    vlan,
    rangeStart,
    rangeEnd,
    ...lists
  }: typeof form.values): Promise<void> {
    const made = await create({
      input: {
        hostId,
        name,
        cidr,
        bridge,
        gateway: orNull(gateway),
        vlan: vlan === "" ? null : Number(vlan),
        rangeStart: orNull(rangeStart),
        rangeEnd: orNull(rangeEnd),
        ...lists,
      },
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
      title="New IP zone"
      verb="Make the zone"
      busy={busy}
      onSubmit={(values) => void make(values)}
    >
      <TextInput label="Name" data-autofocus {...form.getInputProps("name")} />
      <div className="fields">
        <TextInput label="Network" placeholder="192.0.2.0/24" {...form.getInputProps("cidr")} />
        <TextInput label="Gateway" placeholder="192.0.2.1" {...form.getInputProps("gateway")} />
      </div>
      <div className="fields">
        <Autocomplete label="Bridge" data={[...bridges]} {...form.getInputProps("bridge")} />
        <NumberInput label="VLAN tag" placeholder="None" min={1} max={4094} {...form.getInputProps("vlan")} />
      </div>
      <div className="fields">
        <TextInput label="First address" placeholder="The network's first" {...form.getInputProps("rangeStart")} />
        <TextInput label="Last address" placeholder="The network's last" {...form.getInputProps("rangeEnd")} />
      </div>
      <TagsInput label="Name servers" placeholder="Enter after each" {...form.getInputProps("nameservers")} />
      <TagsInput
        label="Never given out"
        description="Addresses, ranges and networks."
        placeholder="Enter after each"
        {...form.getInputProps("excluded")}
      />
    </FormDialog>
  );
}
