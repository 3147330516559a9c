// Asks for a login name and a password, and begins a session with them.
import { Alert, Button, Checkbox, PasswordInput, Stack, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useState } from "react";
import { clientOf } from "../../client/client.js";
import { keepSession } from "../../client/session.js";
import { untilSignedOut } from "../../client/signOut.js";
import { messageOf } from "../../components/Answer.js";
import { focusWrong } from "../../components/focusWrong.js";
import { SignInDocument, type SignInMutationVariables } from "../../generated/documents.js";
import { texts } from "../../texts/signIn.js";

/** The session is the browser's to keep: what a script can read, an injected one can send away. */
const AS_COOKIE = { headers: { "x-drover-session": "cookie" } };

interface Properties {
  /** Who must sign in; left out: anybody. */
  readonly username?: string;
}

export function SignInForm({ username = "" }: Properties) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { username, password: "", remember: false },
    validate: { username: isNotEmpty(texts.usernameMissing), password: isNotEmpty(texts.passwordMissing) },
  });

  async function signIn(values: SignInMutationVariables): Promise<void> {
    setBusy(true);
    await untilSignedOut();
    const { data, error } = await clientOf(AS_COOKIE).mutation(SignInDocument, values).toPromise();
    setBusy(false);
    setRefusal(error === undefined ? null : messageOf(error));
    if (data === undefined || error !== undefined) return;
    const { expiresAt, user } = data.login;
    keepSession({ expiresAt, username: user.username });
  }

  return (
    <form onSubmit={form.onSubmit((values) => void signIn(values), focusWrong(form))} noValidate>
      <Stack gap="sm">
        {refusal !== null && (
          <Alert color="red" role="alert">
            {refusal}
          </Alert>
        )}
        <TextInput
          label={texts.username}
          size="sm"
          autoComplete="username"
          readOnly={username !== ""}
          autoFocus={username === ""}
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
        <Button type="submit" size="sm" loading={busy} mt={4}>
          {texts.signIn}
        </Button>
      </Stack>
    </form>
  );
}
