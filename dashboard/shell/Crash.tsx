// Said when a page itself fails, as after an update of the service whose older files are gone.
import { Button, Code, Stack, Text, Title } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";

export function Crash({ error }: ErrorComponentProps) {
  return (
    <Stack component="main" align="center" p="xl" gap="sm">
      <Title order={1} ta="center">
        This page cannot be shown
      </Title>
      <Text fz="sm" ta="center">
        The service may have been updated meanwhile. Loading the panel anew usually helps.
      </Text>
      <Code>{error instanceof Error ? error.message : String(error)}</Code>
      <Button onClick={() => window.location.reload()}>Load anew</Button>
    </Stack>
  );
}
