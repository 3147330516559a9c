// Chooses one node among those of all hosts: a few are offered, the others are found by typing.
import { Select, type ComboboxItem, type ComboboxItemGroup, type OptionsFilter, type SelectProps } from "@mantine/core";
import { count } from "../format.js";

/** Thousands of options would take the browser longer than typing takes people. */
const OFFERED = 50;

interface Properties extends Omit<SelectProps, "data" | "searchable" | "filter" | "description"> {
  readonly data: readonly ComboboxItemGroup<ComboboxItem>[];
}

export function NodeSelect({ data, ...properties }: Properties) {
  const nodes = data.reduce((total, { items }) => total + items.length, 0);
  return (
    <Select
      searchable
      filter={offered}
      nothingFoundMessage="No node is called that"
      description={nodes > OFFERED ? `Type to find one of ${count(nodes, "node")}` : undefined}
      data={data}
      {...properties}
    />
  );
}

/** The library's own limit counts hosts, not their nodes. */
const offered: OptionsFilter = ({ options, search }) => {
  const wanted = search.trim().toLowerCase();
  let room = OFFERED;
  return options.flatMap((host) => {
    if (!("group" in host)) return [];
    const items = host.items.filter(({ label }) => label.toLowerCase().includes(wanted)).slice(0, room);
    room -= items.length;
    return items.length === 0 ? [] : [{ ...host, items }];
  });
};
