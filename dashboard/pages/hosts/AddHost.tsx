// The form that connects a host.
import { Checkbox, Group, NumberInput, PasswordInput, SegmentedControl, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { messageOf } from "../../components/Answer.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { AddHostDocument } from "../../generated/documents.js";
import { fingerprintOf, HostHelp, HostRefusal, tokenOf } from "./HostHelp.js";

import { texts } from "../../texts/addHost.js";
import { texts as hostTexts } from "../../texts/hosts.js";

const DEFAULT_PORT = 8006;

interface Properties {
  readonly opened: boolean;
  readonly close: () => void;
  readonly added: () => void;
}

export function AddHost({ opened, close, added }: Properties) {
  const form = useForm({
    initialValues: {
      name: "",
      hostname: "",
      port: DEFAULT_PORT as number | string,
      user: "root@pam",
      by: "token",
      tokenId: "",
      tokenSecret: "",
      password: "",
      tlsFingerprint: "",
      allowUnrestrictedMoveToken: false,
    },
    validate: {
      name: isNotEmpty(texts.missing.name),
      hostname: isNotEmpty(texts.missing.address),
      user: (value) => (value.includes("@") ? null : texts.missing.user),
      tokenId: (value, { by }) => (by === "token" && value === "" ? texts.missing.tokenId : null),
      tokenSecret: (value, { by }) => (by === "token" && value === "" ? texts.missing.tokenSecret : null),
      password: (value, { by }) => (by === "password" && value === "" ? texts.missing.password : null),
    },
  });
  const [refusal, setRefusal] = useState<string | null>(null);
  const mark = markWrong(form);
  const [add, busy] = useAct(AddHostDocument, {
    done: ({ addHost }) => texts.done(addHost.name),
    failed: texts.failed,
    // It stays in sight: it may tell a fingerprint that is to be compared.
    refused(error) {
      if (!mark(error)) setRefusal(messageOf(error));
      return true;
    },
  });

  async function connect({ name, hostname, port, user, by, tlsFingerprint, ...more }: typeof form.values) {
    const { tokenId, tokenSecret, password, allowUnrestrictedMoveToken } = more;
    setRefusal(null);
    const done = await add({
      name,
      hostname,
      port: Number(port) || DEFAULT_PORT,
      allowUnrestrictedMoveToken,
      ...(by === "token" ? { ...tokenOf(user, tokenId), tokenSecret } : { user, password }),
      ...(tlsFingerprint === "" ? {} : { tlsFingerprint: fingerprintOf(tlsFingerprint) }),
    });
    if (done === null) return;
    form.reset();
    close();
    added();
  }

  return (
    <FormDialog
      form={form}
      opened={opened}
      close={() => {
        setRefusal(null);
        close();
      }}
      title={texts.title}
      verb={texts.verb}
      note={texts.note}
      busy={busy}
      onSubmit={(values) => void connect(values)}
    >
      <HostHelp />
      <TextInput label={texts.name} data-autofocus {...form.getInputProps("name")} />
      <Group gap="xs" align="start" grow preventGrowOverflow={false}>
        <TextInput label={texts.address} placeholder="192.0.2.10" {...form.getInputProps("hostname")} />
        <NumberInput label={texts.port} min={1} max={65_535} maw={100} {...form.getInputProps("port")} />
      </Group>
      <TextInput label={texts.user} {...form.getInputProps("user")} />
      <SegmentedControl
        aria-label={texts.authentication}
        data={[
          { value: "token", label: texts.apiToken },
          { value: "password", label: texts.password },
        ]}
        {...form.getInputProps("by")}
      />
      {form.values.by === "token" ? (
        <>
          <TextInput label={texts.tokenId} placeholder="drover" {...form.getInputProps("tokenId")} />
          <PasswordInput label={texts.tokenSecret} autoComplete="off" {...form.getInputProps("tokenSecret")} />
        </>
      ) : (
        <PasswordInput label={texts.password} autoComplete="off" {...form.getInputProps("password")} />
      )}
      <TextInput
        label={texts.fingerprint}
        description={texts.fingerprintHint}
        placeholder="AA:BB:…"
        {...form.getInputProps("tlsFingerprint")}
      />
      <Checkbox
        label={hostTexts.migrationTokens.formLabel}
        description={hostTexts.migrationTokens.explanation}
        {...form.getInputProps("allowUnrestrictedMoveToken", { type: "checkbox" })}
      />
      <HostRefusal
        message={refusal}
        pin={(fingerprint) => {
          form.setFieldValue("tlsFingerprint", fingerprint);
          setRefusal(null);
        }}
      />
    </FormDialog>
  );
}
