// The form that makes an IP zone.
import { Autocomplete, NumberInput, TagsInput, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { CreateIpZoneDocument } from "../../generated/documents.js";
import { texts as ipZoneTexts } from "../../texts/ipZones.js";

const texts = ipZoneTexts.form;

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
      name: isNotEmpty(texts.nameMissing),
      cidr: (value) => (/^[\da-f.:]+\/\d+$/i.test(value) ? null : texts.networkMissing),
      bridge: isNotEmpty(texts.bridgeMissing),
    },
  });
  const [create, busy] = useAct(CreateIpZoneDocument, {
    done: ({ createIpZone }) => texts.created(createIpZone.name),
    failed: texts.failed,
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
      title={texts.title}
      verb={texts.create}
      busy={busy}
      onSubmit={(values) => void make(values)}
    >
      <TextInput label={texts.name} data-autofocus {...form.getInputProps("name")} />
      <div className="fields">
        <TextInput label={texts.network} placeholder={texts.networkExample} {...form.getInputProps("cidr")} />
        <TextInput label={texts.gateway} placeholder={texts.gatewayExample} {...form.getInputProps("gateway")} />
      </div>
      <div className="fields">
        <Autocomplete label={texts.bridge} data={[...bridges]} {...form.getInputProps("bridge")} />
        <NumberInput label={texts.vlan} placeholder={texts.noVlan} min={1} max={4094} {...form.getInputProps("vlan")} />
      </div>
      <div className="fields">
        <TextInput label={texts.first} placeholder={texts.firstDefault} {...form.getInputProps("rangeStart")} />
        <TextInput label={texts.last} placeholder={texts.lastDefault} {...form.getInputProps("rangeEnd")} />
      </div>
      <TagsInput label={texts.nameServers} placeholder={texts.pressEnter} {...form.getInputProps("nameservers")} />
      <TagsInput
        label={texts.excluded}
        description={texts.excludedHint}
        placeholder={texts.pressEnter}
        {...form.getInputProps("excluded")}
      />
    </FormDialog>
  );
}
