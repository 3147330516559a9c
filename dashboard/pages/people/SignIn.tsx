// The page where one signs in.
import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useDocumentTitle } from "@mantine/hooks";
import { useState } from "react";
import { useClient } from "urql";
import { keepSession } from "../../client/session.js";
import { messageOf } from "../../components/Answer.js";
import { SignInDocument } from "../../generated/documents.js";

export function SignIn() {
  useDocumentTitle("Sign in · Drover");
  const client = useClient();
  const [refusal, setRefusal] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { username: "", password: "" },
    validate: { username: isNotEmpty("Your login name"), password: isNotEmpty("Your password") },
  });

  async function signIn(values: { username: string; password: string }): Promise<void> {
    setBusy(true);
    const { data, error } = await client.mutation(SignInDocument, values).toPromise();
    setBusy(false);
    setRefusal(error === undefined ? null : messageOf(error));
    if (data === undefined || error !== undefined) return;
    const { token, expiresAt, user } = data.login;
    keepSession({ token, expiresAt, username: user.username });
  }

  return (
    <Center component="main" mih="100vh" className="ground" p="md">
      <Paper w={340} p="lg" radius="md">
        <form onSubmit={form.onSubmit((values) => void signIn(values))} noValidate>
          <Stack gap="sm">
            <Stack gap={2} align="center" mb={4}>
              <img src="/favicon.svg" width={36} height={36} alt="" />
              <Title order={1}>Drover</Title>
              <Text c="dimmed" fz="sm">
                Sign in to the panel
              </Text>
            </Stack>
            {refusal !== null && (
              <Alert color="red" role="alert">
                {refusal}
              </Alert>
            )}
            <TextInput
              label="Login name"
              size="sm"
              autoComplete="username"
              data-autofocus
              autoFocus
              {...form.getInputProps("username")}
              key={form.key("username")}
            />
            <PasswordInput
              label="Password"
              size="sm"
              autoComplete="current-password"
              {...form.getInputProps("password")}
              key={form.key("password")}
            />
            <Button type="submit" size="sm" loading={busy} mt={4}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
