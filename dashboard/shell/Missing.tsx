// Said at an address that leads nowhere.
import { Stack, Text, Title } from "@mantine/core";
import { TextLink } from "../components/links.js";

export function Missing() {
  return (
    <Stack component="main" align="center" p="xl" gap="xs">
      <Title order={1} ta="center">
        There is no such page
      </Title>
      <Text fz="sm" ta="center">
        Perhaps the address was cut off. <TextLink to="/">Go to the overview</TextLink>
      </Text>
    </Stack>
  );
}
