// Chooses the host whose things are shown; the first one when none was chosen.
import { Select } from "@mantine/core";
import { useHostNames } from "./hostNames.js";

interface Properties {
  readonly value: number | undefined;
  readonly onChoose: (hostId: number) => void;
}

export function HostChoice({ value, onChoose }: Properties) {
  const { choices } = useHostNames();
  return (
    <Select
      aria-label="Host"
      w={180}
      data={choices}
      value={value === undefined ? null : String(value)}
      allowDeselect={false}
      onChange={(next) => next !== null && onChoose(Number(next))}
    />
  );
}
