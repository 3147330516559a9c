// In place of all pages, for a person who must set up a second factor first.
import { Button, Center, Paper, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { signOut } from "../client/signOut.js";
import { useReadViewer } from "../client/viewer.js";
import { TotpSetUp } from "../pages/people/TotpSetUp.js";
import { texts } from "../texts/secondFactor.js";
import { texts as shell } from "../texts/shell.js";

export function SecondFactorDue() {
  useDocumentTitle(texts.due.documentTitle);
  const readViewer = useReadViewer();
  return (
    <Center component="main" mih="100vh" className="ground" p="md">
      <Paper w={340} p="lg" radius="md">
        <Stack gap="sm">
          <Title order={1}>{texts.due.heading}</Title>
          <Text fz="sm">{texts.due.text}</Text>
          <TotpSetUp label={texts.begin} replaces={false} done={readViewer} />
          <Button variant="subtle" onClick={signOut}>
            {shell.signOut}
          </Button>
        </Stack>
      </Paper>
    </Center>
  );
}
