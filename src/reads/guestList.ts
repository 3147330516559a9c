// Turns the filter and the order of a list of guests into SQL.
import { GuestSortField, SortDirection, type GuestStatus, type GuestType } from "../core/enums.js";
import { vmidOrNull } from "../core/names.js";
import { contains, given, type Optional } from "./criteria.js";
import type { Clause } from "./read.js";

/** Which guests to list; what is left out does not restrict. */
interface GuestCriteria {
  readonly ids?: Optional<readonly number[]>;
  readonly hostIds?: Optional<readonly number[]>;
  readonly node?: Optional<string>;
  readonly type?: Optional<GuestType>;
  readonly status?: Optional<GuestStatus>;
  readonly ownerId?: Optional<number>;
  readonly tag?: Optional<string>;
  /** Part of the name in any case, or the VMID. */
  readonly search?: Optional<string>;
  readonly safetyCopy?: Optional<boolean>;
  readonly template?: Optional<boolean>;
}

interface GuestOrder {
  readonly field: GuestSortField;
  readonly direction: SortDirection;
}

/** The conditions of a filter. */
export function guestClauses(criteria: GuestCriteria): Clause[] {
  return [
    ...given(criteria.ids, (row, ids) => `${row}.id = any(${ids})`),
    ...given(criteria.hostIds, (row, ids) => `${row}.host_id = any(${ids})`),
    ...given(criteria.node, (row, name) => `${row}_node.name = ${name}`),
    ...given(criteria.type, (row, type) => `${row}.type = ${type}`),
    ...given(criteria.status, (row, status) => `${row}.status = ${status}`),
    ...given(criteria.ownerId, (row, ownerId) => `${row}.owner_id = ${ownerId}`),
    ...given(criteria.tag, (row, tag) => `${row}.tags @> array[${tag}]`),
    ...searched(criteria.search),
    ...given(criteria.safetyCopy, (row, wanted) => `${row}.safety_copy = ${wanted}`),
    ...given(criteria.template, (row, wanted) => `${row}.template = ${wanted}`),
  ];
}

/** The search is part of a name or, when it can be one, a VMID. */
function searched(search: Optional<string>): Clause[] {
  if (search === null || search === undefined) return [];
  const vmid = vmidOrNull(search);
  return [
    (row, value) => {
      const byName = `${row}.name ilike ${value(contains(search))}`;
      return vmid === null ? byName : `(${byName} or ${row}.vmid = ${value(vmid)})`;
    },
  ];
}

const SORT_COLUMN = {
  [GuestSortField.VMID]: "vmid",
  [GuestSortField.NAME]: "name",
  [GuestSortField.STATUS]: "status",
  [GuestSortField.MEMORY]: "memory_mb",
  [GuestSortField.CPU]: "cpu_usage",
  [GuestSortField.CREATED]: "created_at",
} as const satisfies Record<GuestSortField, string>;

/** The order; ties, and a list without one, go by host and VMID. Guests without a figure come last. */
export function guestOrder(order: GuestOrder | null): Clause {
  if (order === null) return (row) => `${row}.host_id, ${row}.vmid, ${row}.id`;
  const direction = order.direction === SortDirection.DESC ? "desc" : "asc";
  return (row) => `${row}.${SORT_COLUMN[order.field]} ${direction} nulls last, ${row}.host_id, ${row}.vmid, ${row}.id`;
}
