// The form that makes an API token.
import { MultiSelect, NumberInput, Textarea, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { HostsSelect } from "../../components/HostSelect.js";
import { CreateApiTokenDocument } from "../../generated/documents.js";

/** What can be granted beyond REST v1. */
const GRANTS = [{ value: "hosts.manage", label: "hosts.manage: hosts, moves, plans, tokens, settings" }];

const DAY_MS = 86_400_000;

export interface MadeToken {
  readonly name: string;
  readonly value: string;
}

interface Properties {
  readonly opened: boolean;
  readonly close: () => void;
  readonly made: (token: MadeToken) => void;
}

export function AddToken({ opened, close, made }: Properties) {
  const form = useForm({
    initialValues: {
      name: "",
      hosts: [] as string[],
      permissions: [] as string[],
      allowedIps: "",
      rateLimit: "" as number | string,
      days: "" as number | string,
    },
    validate: { name: isNotEmpty("What will use it") },
  });
  const [create, busy] = useAct(CreateApiTokenDocument, {
    failed: "The token was not made",
    refused: markWrong(form, { hostIds: "hosts", expiresAt: "days" }),
  });
  async function make({ name, hosts, permissions, allowedIps, rateLimit, days }: typeof form.values): Promise<void> {
    const done = await create({
      input: {
        name,
        permissions,
        connectionScope: hosts.map(Number),
        allowedIps: allowedIps.trim() === "" ? null : allowedIps.trim(),
        rateLimit: rateLimit === "" ? null : Number(rateLimit),
        expiresAt: days === "" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
      },
    });
    if (done === null) return;
    form.reset();
    close();
    made({ name, value: done.createApiToken.value });
  }
  return (
    <FormDialog
      form={form}
      opened={opened}
      close={close}
      title="New API token"
      verb="Make the token"
      busy={busy}
      onSubmit={(values) => void make(values)}
    >
      <TextInput label="Name" placeholder="Billing" data-autofocus {...form.getInputProps("name")} />
      <HostsSelect
        label="Hosts"
        placeholder={form.values.hosts.length === 0 ? "Every host" : ""}
        {...form.getInputProps("hosts")}
      />
      <MultiSelect
        label="Beyond REST v1"
        placeholder={form.values.permissions.length === 0 ? "Nothing" : ""}
        data={GRANTS}
        {...form.getInputProps("permissions")}
      />
      <Textarea
        label="Allowed sources"
        description="One address or network a line; left out: any."
        autosize
        minRows={2}
        {...form.getInputProps("allowedIps")}
      />
      <NumberInput label="Requests a minute" placeholder="No limit" min={1} {...form.getInputProps("rateLimit")} />
      <NumberInput label="Ends after so many days" placeholder="Never" min={1} {...form.getInputProps("days")} />
    </FormDialog>
  );
}
