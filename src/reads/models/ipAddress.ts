// Reads the addresses of IP zones: who has each now, and who had it before.
import { DEFAULT_PER_PAGE } from "../../core/paging.js";
import { given, givenAny, type Optional } from "../engine/criteria.js";
import { guests } from "./guest.js";
import { column, expression, moment, one, type ReadModel } from "../engine/model.js";
import type { Clause } from "../engine/read.js";
import { users } from "./user.js";
import { visibleHost } from "./visibility.js";

/** A bigint as JSON and GraphQL name things. */
const id = expression((row) => `${row}.id::text`);
const address = expression((row) => `host(${row}.address)`);

export const ipAddressHoldings: ReadModel = {
  type: "IpAddressHolding",
  from: (row) => `ip_address_holding ${row}`,
  visible: (row, viewer, bind) => visibleHost(`${row}.host_id`, viewer, bind),
  fields: {
    id,
    hostId: column("host_id"),
    zoneId: column("zone_id"),
    zoneName: column("zone_name"),
    address,
    jobId: column("job_id"),
    guestId: column("guest_id"),
    vmid: column("vmid"),
    guestName: column("guest_name"),
    guest: one(
      () => guests,
      (row, child) => `${child}.id = ${row}.guest_id`,
    ),
    ownerId: column("owner_id"),
    ownerName: column("owner_name"),
    since: moment("since"),
    until: moment("until"),
  },
};

export const ipAddresses: ReadModel = {
  type: "IpAddress",
  from: (row) =>
    `ip_address ${row} left join ip_zone ${row}_zone on ${row}_zone.id = ${row}.zone_id left join guest ${row}_guest on ${row}_guest.id = ${row}.guest_id`,
  visible: (row, viewer, bind) => visibleHost(`${row}_zone.host_id`, viewer, bind),
  fields: {
    id,
    zoneId: column("zone_id"),
    address,
    since: moment("since"),
    jobId: column("job_id"),
    guest: one(
      () => guests,
      (row, child) => `${child}.id = ${row}.guest_id`,
    ),
    owner: one(
      () => users,
      (row, child) => `${child}.id = ${row}_guest.owner_id`,
    ),
    history: {
      kind: "many",
      model: () => ipAddressHoldings,
      arguments: { page: 1, perPage: DEFAULT_PER_PAGE },
      paged: true,
      on: (row, child) => `${child}.zone_id = ${row}.zone_id and ${child}.address = ${row}.address`,
      orderBy: (child) => `${child}.since desc, ${child}.id desc`,
    },
  },
};

/** Which periods to list; what is left out does not restrict. */
interface HoldingCriteria {
  readonly hostIds?: Optional<readonly number[]>;
  readonly zoneId?: Optional<number>;
  readonly address?: Optional<string>;
  readonly guestId?: Optional<number>;
  readonly ownerId?: Optional<number>;
  /** A moment within the period: its begin included, its end not. */
  readonly at?: Optional<Date>;
}

/** The conditions of a filter. */
export const holdingClauses = (criteria: HoldingCriteria): Clause[] => [
  ...givenAny(criteria.hostIds, (row, isAny) => isAny(`${row}.host_id`)),
  ...given(criteria.zoneId, (row, zone) => `${row}.zone_id = ${zone}`),
  ...given(criteria.address, (row, text) => `${row}.address = ${text}::inet`),
  ...given(criteria.guestId, (row, guest) => `${row}.guest_id = ${guest}`),
  ...given(criteria.ownerId, (row, owner) => `${row}.owner_id = ${owner}`),
  ...given(
    criteria.at,
    (row, at) => `${row}.since <= ${at}::timestamptz and (${row}.until is null or ${row}.until > ${at}::timestamptz)`,
  ),
];
