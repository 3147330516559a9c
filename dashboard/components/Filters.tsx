// What a list is narrowed by: fields side by side above it, as wide as a narrow screen.
import { Group } from "@mantine/core";
import type { ReactNode } from "react";

export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <Group gap="xs" mb="sm" role="search" className="filters">
      {children}
    </Group>
  );
}

/** Whether anything is left out of the list: an empty one then says so, rather than that there is nothing at all. */
export const isNarrowed = (filter: object): boolean =>
  Object.values(filter).some((part) => part !== null && part !== undefined);
