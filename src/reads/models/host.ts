// Reads hosts.
import { contains, given, givenAny, type Optional } from "../engine/criteria.js";
import { column, expression, many, moment, type ReadModel } from "../engine/model.js";
import { guestsOfHost } from "./guestCount.js";
import { nodes } from "./node.js";
import type { Clause } from "../engine/read.js";
import { visibleGuest, visibleHost } from "./visibility.js";

export const hosts: ReadModel = {
  type: "Host",
  key: "id",
  from: (row) => `host ${row}`,
  visible: (row, viewer, bind) => visibleHost(`${row}.id`, viewer, bind),
  fields: {
    id: column("id"),
    name: column("name"),
    hostname: column("hostname"),
    port: column("port"),
    user: column("user_name"),
    active: column("active"),
    kind: column("kind"),
    clusterName: column("cluster_name"),
    version: column("version"),
    tlsFingerprint: column("tls_fingerprint"),
    allowUnrestrictedMoveToken: column("allow_unrestricted_move_token"),
    maintenance: column("maintenance"),
    maintenanceSince: moment("maintenance_since"),
    lastSyncAt: moment("last_sync_at"),
    lastSyncError: column("last_sync_error"),
    nodes: many(
      () => nodes,
      (row, child) => `${child}.host_id = ${row}.id`,
      (child) => `${child}.name`,
    ),
    guestCount: expression(
      (row, bind, viewer) =>
        guestsOfHost(`${row}.id`, viewer, bind) ??
        `(select count(*) from guest gc where gc.host_id = ${row}.id and ${visibleGuest("gc", viewer, bind)})`,
    ),
  },
};

/** Which hosts to list; what is left out does not restrict. */
interface HostCriteria {
  readonly ids?: Optional<readonly number[]>;
  /** Whether it is active, not in maintenance, and was read without an error. */
  readonly inUse?: Optional<boolean>;
  /** Part of the name or the hostname, in any case. */
  readonly search?: Optional<string>;
}

/** The conditions of a filter. */
export const hostClauses = ({ ids, inUse, search }: HostCriteria): Clause[] => [
  ...givenAny(ids, (row, isAny) => isAny(`${row}.id`)),
  ...given(
    inUse,
    (row, wanted) => `(${row}.active and not ${row}.maintenance and ${row}.last_sync_error is null) = ${wanted}`,
  ),
  ...given(
    typeof search === "string" ? contains(search) : null,
    (row, pattern) => `(${row}.name ilike ${pattern} or ${row}.hostname ilike ${pattern})`,
  ),
];
