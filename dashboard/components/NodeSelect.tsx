// Chooses one node among those of all hosts: a few are offered, the others are found by typing.
import { Select, type ComboboxItem, type ComboboxItemGroup, type SelectProps } from "@mantine/core";
import { count } from "../format.js";

/** Thousands of options would take the browser longer than typing takes people. */
const OFFERED = 50;

interface Properties extends Omit<SelectProps, "data" | "searchable" | "limit" | "description"> {
  readonly data: readonly ComboboxItemGroup<ComboboxItem>[];
}

export function NodeSelect({ data, ...properties }: Properties) {
  const nodes = data.reduce((total, { items }) => total + items.length, 0);
  return (
    <Select
      searchable
      limit={OFFERED}
      nothingFoundMessage="No node is called that"
      description={nodes > OFFERED ? `Type to find one of ${count(nodes, "node")}` : undefined}
      data={data}
      {...properties}
    />
  );
}
