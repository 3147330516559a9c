// The page where one signs in.
import { Center, Paper, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { SignInForm } from "./SignInForm.js";
import { texts } from "../../texts/signIn.js";

export function SignIn() {
  useDocumentTitle(texts.documentTitle);
  return (
    <Center component="main" mih="100vh" className="ground" p="md">
      <Paper w={340} p="lg" radius="md">
        <Stack gap={2} align="center" mb="md">
          <img src="/favicon.svg" width={36} height={36} alt="" />
          <Title order={1}>{texts.heading}</Title>
          <Text c="dimmed" fz="sm">
            {texts.text}
          </Text>
        </Stack>
        <SignInForm />
      </Paper>
    </Center>
  );
}
