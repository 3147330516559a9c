// Asks for a login name and a password, then for a code where a second factor is due, and begins a session with them.
import { Alert, Button, Checkbox, PasswordInput, Stack, TextInput } from "@mantine/core";
import { isNotEmpty, useForm, type UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import type { CombinedError } from "urql";
import { clientOf, codesOf, reasonsOf } from "../../client/client.js";
import { keepSession } from "../../client/session.js";
import { untilSignedOut } from "../../client/signOut.js";
import { messageOf } from "../../components/Answer.js";
import { focusWrong, markReason } from "../../components/focusWrong.js";
import { SignInDocument, type SignInMutationVariables } from "../../generated/documents.js";
import { texts } from "../../texts/signIn.js";

/** The session is the browser's to keep: what a script can read, an injected one can send away. */
const AS_COOKIE = { headers: { "x-drover-session": "cookie" } };

interface Properties {
  /** Who must sign in; left out: anybody. */
  readonly username?: string;
}

/** Reasons of a refusal after the right password. */
const CODE_REFUSED = ["WRONG_CODE", "SECOND_FACTOR_UNREADABLE"];

type Values = Required<SignInMutationVariables> & { readonly code: string };

export function SignInForm({ username = "" }: Properties) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  /** Whether the password was right, and a code is due. */
  const [codeDue, setCodeDue] = useState(false);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { username, password: "", code: "", remember: false },
    validate: {
      username: isNotEmpty(texts.usernameMissing),
      password: isNotEmpty(texts.passwordMissing),
      code: (typed) => (codeDue && typed.trim() === "" ? texts.codeMissing : null),
    },
  });

  async function signIn(values: Values): Promise<void> {
    setBusy(true);
    await untilSignedOut();
    const { data, error } = await clientOf(AS_COOKIE).mutation(SignInDocument, values).toPromise();
    setBusy(false);
    if (error !== undefined) refuse(error);
    else if (data !== undefined) keepSession({ expiresAt: data.login.expiresAt, username: data.login.user.username });
  }

  function refuse(error: CombinedError): void {
    const reasons = reasonsOf(error);
    const isDue = reasons.includes("SECOND_FACTOR_REQUIRED");
    const isOfCode = isDue || CODE_REFUSED.some((reason) => reasons.includes(reason));
    setRefusal(isDue || reasons.includes("WRONG_CODE") ? null : messageOf(error));
    setCodeDue(isOfCode || (codeDue && !codesOf(error).includes("UNAUTHENTICATED")));
    markReason(form)(error, { WRONG_CODE: { code: texts.codeWrong } });
  }

  function back(): void {
    form.setFieldValue("code", "");
    setRefusal(null);
    setCodeDue(false);
  }

  return (
    <form onSubmit={form.onSubmit((values) => void signIn(values), focusWrong(form))} noValidate>
      <Stack gap="sm">
        {refusal !== null && (
          <Alert color="red" role="alert">
            {refusal}
          </Alert>
        )}
        {codeDue ? <CodeField form={form} /> : <PasswordFields form={form} isKnown={username !== ""} />}
        <Button type="submit" size="sm" loading={busy} mt={4}>
          {texts.signIn}
        </Button>
        {codeDue && (
          <Button variant="subtle" onClick={back}>
            {texts.back}
          </Button>
        )}
      </Stack>
    </form>
  );
}

type Form = UseFormReturnType<Values>;

const CodeField = ({ form }: { readonly form: Form }) => (
  <TextInput
    label={texts.code}
    description={texts.codeHelp}
    size="sm"
    autoComplete="one-time-code"
    autoCapitalize="none"
    spellCheck={false}
    autoFocus
    {...form.getInputProps("code")}
    key={form.key("code")}
  />
);

interface PasswordProperties {
  readonly form: Form;
  /** Whether it is settled who signs in. */
  readonly isKnown: boolean;
}

const PasswordFields = ({ form, isKnown }: PasswordProperties) => (
  <>
    <TextInput
      label={texts.username}
      size="sm"
      autoComplete="username"
      readOnly={isKnown}
      autoFocus={!isKnown}
      {...form.getInputProps("username")}
      key={form.key("username")}
    />
    <PasswordInput
      label={texts.password}
      size="sm"
      autoComplete="current-password"
      data-autofocus
      {...form.getInputProps("password")}
      key={form.key("password")}
    />
    <Checkbox
      label={texts.remember}
      size="sm"
      {...form.getInputProps("remember", { type: "checkbox" })}
      key={form.key("remember")}
    />
  </>
);
