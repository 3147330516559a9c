// The form that makes an API token.
import { MultiSelect, NumberInput, Textarea, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { HostsSelect } from "../../components/HostSelect.js";
import { CreateApiTokenDocument } from "../../generated/documents.js";
import { texts } from "../../texts/tokens.js";

/** What can be granted beyond REST v1. */
const GRANTS = [{ value: "hosts.manage", label: texts.form.manageHosts }];

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
    validate: { name: isNotEmpty(texts.form.nameMissing) },
  });
  const [create, busy] = useAct(CreateApiTokenDocument, {
    failed: texts.createFailed,
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
      title={texts.newTitle}
      verb={texts.create}
      busy={busy}
      onSubmit={(values) => void make(values)}
    >
      <TextInput
        label={texts.form.name}
        placeholder={texts.form.nameExample}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <HostsSelect
        label={texts.form.hosts}
        placeholder={form.values.hosts.length === 0 ? texts.form.allHosts : ""}
        {...form.getInputProps("hosts")}
      />
      <MultiSelect
        label={texts.form.permissions}
        placeholder={form.values.permissions.length === 0 ? texts.form.apiOnly : ""}
        data={GRANTS}
        {...form.getInputProps("permissions")}
      />
      <Textarea
        label={texts.form.allowedIps}
        description={texts.form.allowedIpsHint}
        autosize
        minRows={2}
        {...form.getInputProps("allowedIps")}
      />
      <NumberInput
        label={texts.form.rateLimit}
        placeholder={texts.form.noLimit}
        min={1}
        {...form.getInputProps("rateLimit")}
      />
      <NumberInput label={texts.form.expires} placeholder={texts.form.never} min={1} {...form.getInputProps("days")} />
    </FormDialog>
  );
}
