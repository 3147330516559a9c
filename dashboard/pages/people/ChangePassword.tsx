// The form that changes one's own password.
import { PasswordInput, Text, type PasswordInputProps } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useId } from "react";
import type { CombinedError } from "urql";
import { passwordProblems, SHORTEST_PASSWORD } from "../../../src/core/access/passwordRules.js";
import { useAct } from "../../client/act.js";
import { reasonsOf } from "../../client/client.js";
import type { Viewer } from "../../client/viewer.js";
import { FormDialog } from "../../components/FormDialog.js";
import { focusWrong, markWrong } from "../../components/focusWrong.js";
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
    refused: (error) => markWrongPassword(error) || markWrong(form)(error),
  });
  function markWrongPassword(error: CombinedError): boolean {
    if (!reasonsOf(error).includes("WRONG_PASSWORD")) return false;
    const wrong = { current: texts.wrong };
    form.setErrors(wrong);
    focusWrong(form)(wrong);
    return true;
  }
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

/** The library's own field does not show to a screen reader that it is wrong, and why. */
function PasswordField({ error, ...input }: PasswordInputProps) {
  const id = useId();
  const wrong = error ? { "aria-invalid": true, "aria-describedby": id } : {};
  return <PasswordInput error={error} errorProps={{ id }} {...wrong} {...input} />;
}

/** Programs that keep passwords learn by it whose password changes. */
const NameForKeepers = ({ username }: { readonly username: string }) => (
  <input className="unseen" autoComplete="username" value={username} readOnly tabIndex={-1} aria-hidden />
);

/** What can be found wrong here; only the service knows the most used passwords. */
const faultOf = (typed: string, user: Viewer): string | null =>
  passwordProblems(typed, user, { field: "new", isCommon: () => false })[0]?.message ?? null;
