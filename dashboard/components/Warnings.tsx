// Shows what work that is done warns of.
import { Alert, Stack } from "@mantine/core";

interface Properties {
  readonly title: (many: number) => string;
  readonly warnings: readonly string[];
}

export function Warnings({ title, warnings }: Properties) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" title={title(warnings.length)}>
      <Stack gap={6}>
        {warnings.map((warning) => (
          <div key={warning}>{warning}</div>
        ))}
      </Stack>
    </Alert>
  );
}
