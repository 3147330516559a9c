// Gives a host another name, which is shown at once.
import { TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useAct } from "../../client/act.js";
import type { HopeFor } from "../../client/hopes.js";
import { FormDialog } from "../../components/FormDialog.js";
import { RenameHostDocument, type HostQuery } from "../../generated/documents.js";

interface Properties {
  readonly host: HostQuery["host"];
  readonly hopeFor: HopeFor<HostQuery["host"]>;
  readonly close: () => void;
}

export function RenameHost({ host, hopeFor, close }: Properties) {
  const [rename] = useAct(RenameHostDocument, { failed: `${host.name} keeps its name` });
  const form = useForm({ initialValues: { name: host.name }, validate: { name: isNotEmpty("A name for people") } });
  function change({ name }: typeof form.values): void {
    close();
    void hopeFor(host.id, { name }, () => rename({ id: host.id, name }));
  }
  return (
    <FormDialog form={form} opened close={close} title={`Rename ${host.name}`} verb="Rename" onSubmit={change}>
      <TextInput label="Name" data-autofocus {...form.getInputProps("name")} />
    </FormDialog>
  );
}
