// Names and values side by side, for what a thing is.
import { Grid, Text } from "@mantine/core";
import { Fragment, type ReactNode } from "react";

interface Properties {
  /** In their order; null values are left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
  readonly nameSpan?: number;
}

export function Facts({ facts, nameSpan = 4 }: Properties) {
  return (
    <Grid component="dl" gap={4} m={0} fz="sm">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <Fragment key={name}>
            <Grid.Col span={nameSpan}>
              <Text component="dt" fz="sm" c="dimmed">
                {name}
              </Text>
            </Grid.Col>
            <Grid.Col span={12 - nameSpan} component="dd" m={0}>
              {value}
            </Grid.Col>
          </Fragment>
        ))}
    </Grid>
  );
}
