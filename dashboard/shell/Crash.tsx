// Said when a page itself fails, as after an update of the service whose older files are gone.
import { Button, Code, Stack, Text, Title } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { texts } from "../texts/shell.js";

export function Crash({ error }: ErrorComponentProps) {
  return (
    <Stack component="main" align="center" p="xl" gap="sm">
      <Title order={1} ta="center">
        {texts.crash.title}
      </Title>
      <Text fz="sm" ta="center">
        {texts.crash.advice}
      </Text>
      <Code>{error instanceof Error ? error.message : String(error)}</Code>
      <Button onClick={() => window.location.reload()}>{texts.crash.reload}</Button>
    </Stack>
  );
}
