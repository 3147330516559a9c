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
import { UNRESTRICTED_TOKENS } from "./UnrestrictedTokens.js";

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
      name: isNotEmpty("A name for people"),
      hostname: isNotEmpty("Its address"),
      user: (value) => (value.includes("@") ? null : "A login user with its realm, such as root@pam"),
      tokenId: (value, { by }) => (by === "token" && value === "" ? "The token's name" : null),
      tokenSecret: (value, { by }) => (by === "token" && value === "" ? "The token's secret" : null),
      password: (value, { by }) => (by === "password" && value === "" ? "The user's password" : null),
    },
  });
  const [refusal, setRefusal] = useState<string | null>(null);
  const mark = markWrong(form);
  const [add, busy] = useAct(AddHostDocument, {
    done: ({ addHost }) => `${addHost.name} is connected; its inventory has been read.`,
    failed: "The host was not connected",
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
      title="Connect a host"
      verb="Connect"
      note="Its inventory is read at once."
      busy={busy}
      onSubmit={(values) => void connect(values)}
    >
      <HostHelp />
      <TextInput label="Name" data-autofocus {...form.getInputProps("name")} />
      <Group gap="xs" align="start" grow preventGrowOverflow={false}>
        <TextInput label="Address" placeholder="192.0.2.10" {...form.getInputProps("hostname")} />
        <NumberInput label="Port" min={1} max={65_535} maw={100} {...form.getInputProps("port")} />
      </Group>
      <TextInput label="Login user" {...form.getInputProps("user")} />
      <SegmentedControl
        aria-label="How to sign in to the host"
        data={[
          { value: "token", label: "API token" },
          { value: "password", label: "Password" },
        ]}
        {...form.getInputProps("by")}
      />
      {form.values.by === "token" ? (
        <>
          <TextInput label="Token name" placeholder="drover" {...form.getInputProps("tokenId")} />
          <PasswordInput label="Token secret" autoComplete="off" {...form.getInputProps("tokenSecret")} />
        </>
      ) : (
        <PasswordInput label="Password" autoComplete="off" {...form.getInputProps("password")} />
      )}
      <TextInput
        label="SHA-256 fingerprint of its certificate"
        description="Left out: a trusted authority must have signed it."
        placeholder="AA:BB:…"
        {...form.getInputProps("tlsFingerprint")}
      />
      <Checkbox
        label="Allow unrestricted move tokens"
        description={UNRESTRICTED_TOKENS}
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
