// The form that changes an account: its address and names, and its role.
import { Select, TextInput } from "@mantine/core";
import { isEmail, isNotEmpty, useForm } from "@mantine/form";
import { useAct } from "../../client/act.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { UpdateUserDocument, type UserQuery, type UserRole } from "../../generated/documents.js";
import { roleChoices } from "./roles.js";
import { texts } from "../../texts/users.js";

interface Properties {
  readonly user: UserQuery["user"];
  /** The roles that the user may be given; empty: the role stays, as with one's own account. */
  readonly roles: readonly UserRole[];
  readonly close: () => void;
}

export function EditUser({ user, roles, close }: Properties) {
  const form = useForm({
    initialValues: { username: user.username, email: user.email, role: user.role, userId: user.userId ?? "" },
    validate: { username: isNotEmpty(texts.usernameMissing), email: isEmail(texts.emailMissing) },
  });
  const [update, busy] = useAct(UpdateUserDocument, {
    done: ({ updateUser }) => texts.saved(updateUser.username),
    failed: texts.saveFailed,
    refused: markWrong(form),
  });
  async function save({ username, email, role, userId }: typeof form.values): Promise<void> {
    const input = { username, email, userId: userId === "" ? null : userId, ...(roles.length === 0 ? {} : { role }) };
    if ((await update({ id: user.id, input })) !== null) close();
  }
  return (
    <FormDialog
      form={form}
      opened
      close={close}
      title={texts.editTitle(user.username)}
      verb={texts.save}
      busy={busy}
      onSubmit={(values) => void save(values)}
    >
      <TextInput label={texts.username} data-autofocus {...form.getInputProps("username")} />
      <TextInput label={texts.columns.email} type="email" {...form.getInputProps("email")} />
      {roles.length > 0 && (
        <Select label={texts.role} data={roleChoices(roles)} allowDeselect={false} {...form.getInputProps("role")} />
      )}
      <TextInput
        label={texts.columns.externalId}
        description={texts.externalIdHint}
        {...form.getInputProps("userId")}
      />
    </FormDialog>
  );
}
