// Sets up one-time codes: shows the key to be scanned, takes a code of it, and shows the recovery codes once.
import { Button, Center, Code, Stack, Text, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { QRCodeSVG } from "qrcode.react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markReason } from "../../components/focusWrong.js";
import { OnceShown } from "../../components/OnceShown.js";
import { BeginTotpDocument, ConfirmTotpDocument, type BeginTotpMutation } from "../../generated/documents.js";
import { texts } from "../../texts/secondFactor.js";

type BegunKey = BeginTotpMutation["beginTotp"];

interface Properties {
  /** What the button that begins says. */
  readonly label: string;
  /** Whether another key counts until this one is confirmed. */
  readonly replaces: boolean;
  /** Called when the recovery codes have been kept. */
  readonly done: () => void;
}

export function TotpSetUp({ label, replaces, done }: Properties) {
  const [begun, setBegun] = useState<BegunKey | null>(null);
  const [codes, setCodes] = useState<string | null>(null);
  const [begin, busy] = useAct(BeginTotpDocument, { failed: texts.beginFailed });
  async function open(): Promise<void> {
    const answer = await begin({});
    if (answer !== null) setBegun(answer.beginTotp);
  }
  function confirmed(recoveryCodes: readonly string[]): void {
    setBegun(null);
    setCodes(recoveryCodes.join("\n"));
  }
  function kept(): void {
    setCodes(null);
    done();
  }
  return (
    <>
      <Button variant={replaces ? "default" : "filled"} loading={busy} onClick={() => void open()}>
        {label}
      </Button>
      {begun !== null && (
        <Confirmation begun={begun} replaces={replaces} close={() => setBegun(null)} confirmed={confirmed} />
      )}
      <OnceShown title={texts.codesTitle} value={codes} note={texts.codesNote} close={kept} />
    </>
  );
}

interface ConfirmationProperties {
  readonly begun: BegunKey;
  readonly replaces: boolean;
  readonly close: () => void;
  readonly confirmed: (recoveryCodes: readonly string[]) => void;
}

const IMAGE_PIXELS = 200;
/** The white edge that cameras look for. */
const EDGE_MODULES = 4;

function Confirmation({ begun, replaces, close, confirmed }: ConfirmationProperties) {
  const form = useForm({ initialValues: { code: "" }, validate: { code: isNotEmpty(texts.codeMissing) } });
  const [confirm, busy] = useAct(ConfirmTotpDocument, {
    failed: texts.confirmFailed,
    refused: (error) => markReason(form)(error, { WRONG_CODE: { code: texts.codeWrong } }),
  });
  async function send(code: string): Promise<void> {
    const answer = await confirm({ code });
    if (answer !== null) confirmed(answer.confirmTotp.recoveryCodes);
  }
  return (
    <FormDialog
      form={form}
      opened
      close={close}
      title={texts.begin}
      verb={texts.confirm}
      busy={busy}
      onSubmit={({ code }) => void send(code)}
      {...(replaces ? { note: texts.replaceNote } : {})}
    >
      <Text fz="sm">{texts.scan}</Text>
      <Center>
        <QRCodeSVG value={begun.otpauthUri} size={IMAGE_PIXELS} marginSize={EDGE_MODULES} title={texts.image} />
      </Center>
      <Stack gap={2}>
        <Text fz="xs" c="dimmed">
          {texts.key}
        </Text>
        <Code block className="secret" data-testid="key">
          {begun.secret}
        </Code>
      </Stack>
      <TextInput
        label={texts.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        data-autofocus
        {...form.getInputProps("code")}
      />
    </FormDialog>
  );
}
