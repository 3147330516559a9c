// Said at an address that leads nowhere.
import { Stack, Text, Title } from "@mantine/core";
import { TextLink } from "../components/links.js";
import { texts } from "../texts/shell.js";

export function Missing() {
  return (
    <Stack component="main" align="center" p="xl" gap="xs">
      <Title order={1} ta="center">
        {texts.missing.title}
      </Title>
      <Text fz="sm" ta="center">
        {texts.missing.advice} <TextLink to="/">{texts.missing.overview}</TextLink>
      </Text>
    </Stack>
  );
}
