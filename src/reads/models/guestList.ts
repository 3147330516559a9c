// Turns the filter and the order of a list of guests into SQL.
import { GuestSortField, SortDirection, type GuestStatus, type GuestType } from "../../core/enums.js";
import { parseIp } from "../../core/addressing/address.js";
import { vmidOrNull } from "../../core/names.js";
import { contains, given, givenAny, type Optional } from "../engine/criteria.js";
import type { Clause } from "../engine/read.js";
import { userFound } from "./user.js";

/** Which guests to list; what is left out does not restrict. */
export interface GuestCriteria {
  readonly ids?: Optional<readonly number[]>;
  readonly hostIds?: Optional<readonly number[]>;
  readonly node?: Optional<string>;
  readonly type?: Optional<GuestType>;
  readonly status?: Optional<GuestStatus>;
  readonly ownerId?: Optional<number>;
  readonly tag?: Optional<string>;
  /** Part of the name in any case, the VMID, an address, or part of what the owner is found by. */
  readonly search?: Optional<string>;
  readonly safetyCopy?: Optional<boolean>;
  readonly template?: Optional<boolean>;
}

interface GuestOrder {
  readonly field: GuestSortField;
  readonly direction: SortDirection;
}

/** The conditions of a filter; the search looks at owners only for those who know them. */
export function guestClauses(criteria: GuestCriteria, knowsOwners = false): Clause[] {
  return [
    ...givenAny(criteria.ids, (row, isAny) => isAny(`${row}.id`)),
    ...givenAny(criteria.hostIds, (row, isAny) => isAny(`${row}.host_id`)),
    ...given(criteria.node, (row, name) => `${row}_node.name = ${name}`),
    ...given(criteria.type, (row, type) => `${row}.type = ${type}`),
    ...given(criteria.status, (row, status) => `${row}.status = ${status}`),
    ...given(criteria.ownerId, (row, ownerId) => `${row}.owner_id = ${ownerId}`),
    ...given(criteria.tag, (row, tag) => `${row}.tags @> array[${tag}]`),
    ...searched(criteria.search, knowsOwners),
    ...given(criteria.safetyCopy, (row, wanted) => `${row}.safety_copy = ${wanted}`),
    ...given(criteria.template, (row, wanted) => `${row}.template = ${wanted}`),
  ];
}

/** The search is part of a name or of what an owner is found by or, when it can be one, a VMID or an address. */
function searched(search: Optional<string>, knowsOwners: boolean): Clause[] {
  if (search === null || search === undefined) return [];
  const vmid = vmidOrNull(search);
  const address = parseIp(search)?.toString() ?? null;
  return [
    (row, value) => {
      const part = value(contains(search));
      const ways = [
        `${row}.name ilike ${part}`,
        ...(vmid === null ? [] : [`${row}.vmid = ${value(vmid)}`]),
        ...(address === null ? [] : withAddress(row, value(address))),
        ...(knowsOwners ? [ofOwner(row, part)] : []),
      ];
      return `(${ways.join(" or ")})`;
    },
  ];
}

/** Each way by an index of its own: of a zone, of the guest's configuration. */
const withAddress = (row: string, address: string): string[] => [
  `${row}.id = any(array(select a.guest_id from ip_address a where a.address = ${address}::inet))`,
  `${row}.ip_addresses @> array[host(${address}::inet)]`,
];

const ofOwner = (row: string, part: string): string =>
  `${row}.owner_id = any(array(select o.id from user_account o where ${userFound("o", part)}))`;

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
