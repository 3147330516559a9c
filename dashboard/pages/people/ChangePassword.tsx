// The form that changes one's own password.
import { Text } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { passwordProblems, SHORTEST_PASSWORD } from "../../../src/core/access/passwordRules.js";
import { useAct } from "../../client/act.js";
import type { Viewer } from "../../client/viewer.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markReason, markWrong } from "../../components/focusWrong.js";
import { PasswordField } from "../../components/PasswordField.js";
import { ChangePasswordDocument } from "../../generated/documents.js";
import { texts as account } from "../../texts/account.js";

const texts = account.password;

interface Properties {
  readonly user: Viewer;
  readonly opened: boolean;
  readonly close: () => void;
  readonly changed: () => void;
}

export function ChangePassword({ user, opened, close, changed }: Properties) {
  const form = useForm({
    initialValues: { current: "", new: "", again: "" },
    validate: {
      current: isNotEmpty(texts.currentMissing),
      new: (typed) => faultOf(typed, user),
      again: (typed, values) => (typed === values.new ? null : texts.different),
    },
  });
  const [change, busy] = useAct(ChangePasswordDocument, {
    done: () => texts.changed,
    failed: texts.failed,
    refused: (error) => markReason(form)(error, { WRONG_PASSWORD: { current: texts.wrong } }) || markWrong(form)(error),
  });
  async function store(values: typeof form.values): Promise<void> {
    if ((await change({ current: values.current, new: values.new })) === null) return;
    form.reset();
    close();
    changed();
  }
  return (
    <FormDialog
      form={form}
      opened={opened}
      close={close}
      title={texts.change}
      verb={texts.change}
      busy={busy}
      onSubmit={(values) => void store(values)}
    >
      <Text fz="sm">{texts.rules(SHORTEST_PASSWORD)}</Text>
      <NameForKeepers username={user.username} />
      <PasswordField
        label={texts.current}
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps("current")}
      />
      <PasswordField label={texts.next} autoComplete="new-password" {...form.getInputProps("new")} />
      <PasswordField label={texts.again} autoComplete="new-password" {...form.getInputProps("again")} />
    </FormDialog>
  );
}

/** Programs that keep passwords learn by it whose password changes. */
const NameForKeepers = ({ username }: { readonly username: string }) => (
  <input className="unseen" autoComplete="username" value={username} readOnly tabIndex={-1} aria-hidden />
);

/** What can be found wrong here; only the service knows the most used passwords. */
const faultOf = (typed: string, user: Viewer): string | null =>
  passwordProblems(typed, user, { field: "new", isCommon: () => false })[0]?.message ?? null;
