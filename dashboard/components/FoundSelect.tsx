// A select over more records than a list has room for: the service searches while one types.
import { Select, type SelectProps } from "@mantine/core";
import { useFinder, type Choice, type Findable } from "./found.js";

type Shared = Omit<
  SelectProps,
  "data" | "filter" | "searchable" | "searchValue" | "onSearchChange" | "value" | "onChange"
>;

/** What every select over found records takes; the others are the select's own. */
export interface ChoosingProperties<Record> extends Shared {
  readonly value?: string | null;
  /** The record is null where a standing choice, or none, was chosen. */
  readonly onChange?: (value: string | null, record: Record | null) => void;
  /** Choices that are always there, such as "any". */
  readonly standing?: readonly Choice[];
}

interface Properties<Record> extends ChoosingProperties<Record> {
  readonly kind: Findable<Record>;
  /** The name of a value that was not found here but came with the page. */
  readonly nameOf: (value: string) => string;
}

export function FoundSelect<Record>({ kind, nameOf, standing = [], onChange, ...select }: Properties<Record>) {
  const { value = null } = select;
  const isStanding = standing.some((choice) => choice.value === value);
  const chosen = value === null || isStanding ? [] : [{ value, label: nameOf(value) }];
  const { recordOf, ...finder } = useFinder(kind, { standing, chosen });
  return (
    <Select
      {...finder}
      {...select}
      onFocus={(event) => {
        // What is typed replaces what was chosen.
        event.currentTarget.select();
        select.onFocus?.(event);
      }}
      onChange={(next) => onChange?.(next, recordOf(next))}
    />
  );
}
