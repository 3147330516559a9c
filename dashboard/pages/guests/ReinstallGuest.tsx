// Installs a guest anew: everything on its disks is lost, so that its name must be typed.
import { Alert, Button, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { ReinstallGuestDocument } from "../../generated/documents.js";
import { TEMPLATE_FIELDS, templateInput } from "./guestTemplates.js";
import { TemplateSelect } from "./TemplateSelect.js";
import type { ShownGuest } from "./shownGuest.js";
import { texts } from "../../texts/guests.js";
import { texts as formTexts } from "../../texts/newGuest.js";

const LEAST_PASSWORD = 8;

export function ReinstallGuest({ guest }: { readonly guest: ShownGuest }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" disabled={guest.activeJob !== null} onClick={() => setOpened(true)}>
        {texts.asks(texts.reinstall.open)}
      </Button>
      {opened && <ReinstallDialog guest={guest} close={() => setOpened(false)} />}
    </>
  );
}

function ReinstallDialog({ guest, close }: { readonly guest: ShownGuest; readonly close: () => void }) {
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { template: null as string | null, password: "", sshKeys: "", name: "" },
    validate: {
      template: (value) => (value === null ? formTexts.selectTemplate : null),
      password: (value) =>
        value !== "" && value.length < LEAST_PASSWORD ? formTexts.wrong.password(LEAST_PASSWORD) : null,
      name: (value) => (value === guest.name ? null : texts.reinstall.wrongName(guest.name)),
    },
  });
  const [reinstall, busy] = useAct(ReinstallGuestDocument, {
    failed: texts.reinstall.failed(guest.name),
    refused: markWrong(form, TEMPLATE_FIELDS),
  });
  async function install({ template, password, sshKeys }: typeof form.values): Promise<void> {
    const { hostId, type, vmid } = guest;
    const input = {
      ...templateInput(template ?? ""),
      ...(password === "" ? {} : { password }),
      sshKeys: sshKeys.split("\n").filter((line) => line.trim() !== ""),
    };
    const queued = await reinstall({ hostId, type, vmid, input });
    if (queued === null) return;
    form.reset();
    await navigate({ to: "/jobs/$id", params: { id: String(queued.reinstallGuest.jobId) } });
  }
  return (
    <FormDialog
      form={form}
      opened
      close={close}
      title={texts.reinstall.title(guest.name, guest.vmid)}
      verb={texts.reinstall.verb(guest.name)}
      busy={busy}
      danger
      onSubmit={(values) => void install(values)}
    >
      <Alert color="red">{texts.reinstall.warning(guest.name)}</Alert>
      <TemplateSelect
        label={formTexts.template}
        data-autofocus
        type={guest.type}
        hostId={guest.hostId}
        {...form.getInputProps("template")}
      />
      <PasswordInput label={formTexts.password} autoComplete="new-password" {...form.getInputProps("password")} />
      <Textarea label={formTexts.sshKeys} autosize minRows={2} maxRows={6} {...form.getInputProps("sshKeys")} />
      <TextInput label={texts.reinstall.confirmName(guest.name)} {...form.getInputProps("name")} />
    </FormDialog>
  );
}
