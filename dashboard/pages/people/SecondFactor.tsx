// The second factor of one's own account: whether there is one, and how it is set up, replaced and removed.
import { Button, Group, Text } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import type { Viewer } from "../../client/viewer.js";
import { Facts } from "../../components/Facts.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markReason } from "../../components/focusWrong.js";
import { PasswordField } from "../../components/PasswordField.js";
import { Section } from "../../components/Section.js";
import { RemoveTotpDocument } from "../../generated/documents.js";
import { TotpSetUp } from "./TotpSetUp.js";
import { texts } from "../../texts/secondFactor.js";

interface Properties {
  readonly user: Viewer;
  readonly changed: () => void;
}

export function SecondFactor({ user, changed }: Properties) {
  const isSetUp = user.secondFactors.includes("TOTP");
  return (
    <Section
      title={texts.title}
      actions={
        <Group gap="xs">
          <TotpSetUp label={isSetUp ? texts.replace : texts.begin} replaces={isSetUp} done={changed} />
          {isSetUp && <Remove changed={changed} />}
        </Group>
      }
    >
      <Facts
        facts={[
          [texts.totp, isSetUp ? texts.setUp : texts.notSetUp],
          [texts.recoveryCodes, isSetUp ? user.recoveryCodesLeft : null],
        ]}
      />
    </Section>
  );
}

function Remove({ changed }: Pick<Properties, "changed">) {
  const [opened, setOpened] = useState(false);
  const form = useForm({ initialValues: { password: "" }, validate: { password: isNotEmpty(texts.passwordMissing) } });
  const [remove, busy] = useAct(RemoveTotpDocument, {
    done: () => texts.removed,
    failed: texts.removeFailed,
    refused: (error) => markReason(form)(error, { WRONG_PASSWORD: { password: texts.passwordWrong } }),
  });
  async function send(password: string): Promise<void> {
    if ((await remove({ password })) === null) return;
    form.reset();
    setOpened(false);
    changed();
  }
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {texts.remove}
      </Button>
      <FormDialog
        form={form}
        opened={opened}
        close={() => setOpened(false)}
        title={texts.removeTitle}
        verb={texts.removeVerb}
        busy={busy}
        danger
        onSubmit={({ password }) => void send(password)}
      >
        <Text fz="sm">{texts.removeText}</Text>
        <PasswordField
          label={texts.password}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps("password")}
        />
      </FormDialog>
    </>
  );
}
