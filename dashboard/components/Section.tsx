// A titled part of a page.
import { Group, Paper, Title } from "@mantine/core";
import { useId, type ReactNode } from "react";

interface Properties {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, actions, children }: Properties) {
  const id = useId();
  return (
    <Paper component="section" p="sm" aria-labelledby={id}>
      <Group justify="space-between" mb="xs" mih={26} gap="xs">
        <Title order={2} id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}
