// Gives a host another name, which is shown at once.
import { TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useAct } from "../../client/act.js";
import type { HopeFor } from "../../client/hopes.js";
import { FormDialog } from "../../components/FormDialog.js";
import { RenameHostDocument, type HostQuery } from "../../generated/documents.js";
import { texts } from "../../texts/hosts.js";

interface Properties {
  readonly host: HostQuery["host"];
  readonly hopeFor: HopeFor<HostQuery["host"]>;
  readonly close: () => void;
}

export function RenameHost({ host, hopeFor, close }: Properties) {
  const [rename] = useAct(RenameHostDocument, { failed: texts.page.renameFailed(host.name) });
  const form = useForm({ initialValues: { name: host.name }, validate: { name: isNotEmpty(texts.page.nameMissing) } });
  function change({ name }: typeof form.values): void {
    close();
    void hopeFor(host.id, { name }, () => rename({ id: host.id, name }));
  }
  return (
    <FormDialog
      form={form}
      opened
      close={close}
      title={texts.page.renameTitle(host.name)}
      verb={texts.page.renameVerb}
      onSubmit={change}
    >
      <TextInput label={texts.page.name} data-autofocus {...form.getInputProps("name")} />
    </FormDialog>
  );
}
