// How a sync of a host ends, and how a host goes: several tables at once.
import * as addresses from "./address.js";
import * as capacity from "./capacity.js";
import * as guests from "./guest/record.js";
import * as hosts from "./host/record.js";
import type { FailedSync, SyncedHost } from "./host/record.js";
import * as nodes from "./node.js";
import * as templates from "./template.js";
import { prepared, tables, written, type Connection } from "./tables.js";

/** What depends on nodes and guests, once they are written. */
interface Settlement extends SyncedHost {
  /** VMIDs that jobs write themselves. */
  readonly held: readonly number[];
  /** Capacity that was reserved by jobs that ended before is counted in the nodes now. PostgreSQL's words, to the microsecond. */
  readonly endedBefore: string;
}

const SETTLE = prepared<Settlement, never>("host-settle", (given) =>
  tables
    .with("adopted", () => addresses.adoption(given))
    .with("averaged", () => nodes.averaging(given))
    .with("released", () => addresses.deletionOfLongGone(given))
    .with("followed", () => templates.following(given))
    .with("counted", () => capacity.deletionOfCounted(given))
    .with("synced", () => hosts.syncing(given).returning("id"))
    .selectFrom("synced")
    .select("id"),
);

/** Updates what depends on the nodes and guests that a sync has written: averages, addresses, templates, capacity, the host itself. */
export async function settle(connection: Connection, settlement: Settlement): Promise<void> {
  await written(connection, SETTLE(settlement));
}

interface Failure extends FailedSync {
  /** How long the host may be silent before the state of its nodes is unknown. */
  readonly toleratedSeconds: number;
}

/** Records that a sync failed. */
export async function fail(connection: Connection, failure: Failure): Promise<void> {
  const statement = tables
    .with("failed", () => hosts.failing(failure))
    .with("silent", () => nodes.silencing(failure).returning("n.id"))
    .selectFrom("silent")
    .select("id");
  await written(connection, statement);
}

/**
 * Marks the nodes that left their host's cluster; one goes, with the templates registered there, as soon as no guest is on it.
 * @param members the names of those that did not leave
 */
export async function leaveNodes(connection: Connection, hostId: number, members: readonly string[]): Promise<void> {
  const left = { hostId, members };
  const statement = tables
    .with("lost", () => nodes.losing(left))
    .with("empty", () => nodes.leftEmpty(left))
    .with("former", () => guests.leavingOfEmpty)
    .with("unregistered", () => templates.deletionOfEmpty)
    .with("removed", () => nodes.deletionOfEmpty.returning("n.id"))
    .selectFrom("removed")
    .select("id");
  await written(connection, statement);
}

/** Deletes a host with everything known of it. The caller has locked it. */
export async function remove(connection: Connection, hostId: number): Promise<void> {
  const statement = tables
    .with("guests", () => guests.deletionOfHost(hostId))
    .with("templates", () => templates.deletionOfHost(hostId))
    .with("removed", () => hosts.deletion(hostId).returning("id"))
    .selectFrom("removed")
    .select("id");
  await written(connection, statement);
}
