// Makes and deletes the IP zones that guests are given addresses from.
import type { PoolClient } from "pg";
import { permit, permitHost } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { formatAddress, parseNetwork } from "../../core/addressing/address.js";
import { readZone, zoneSize, type Zone, type ZoneDefinition } from "../../core/addressing/zone.js";
import { isBridgeName } from "../../core/names.js";
import type { Problem } from "../../core/problem.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import * as hosts from "../../store/host/known.js";
import * as ipZones from "../../store/ipZone.js";
import { nameProblems } from "../inputProblems.js";
import { brokenUnique } from "../../db/unique.js";

/** A zone as an operator writes it. */
export interface IpZoneRequest extends ZoneDefinition {
  readonly hostId: number;
  readonly name: string;
  readonly bridge: string;
}

/**
 * @returns the new zone's id
 * @throws DroverError `validation` that names every offending field, an overlap with another zone of the same network too;
 *   `notFound` for an unknown host
 */
export async function createIpZone(context: Context, input: IpZoneRequest): Promise<number> {
  permit(context, Permission.HOSTS_MANAGE);
  permitHost(context, input.hostId);
  const read = readZone(input);
  const problems = [...nameProblems(input.name), ...bridgeProblems(input.bridge), ...(read.ok ? [] : read.problems)];
  return inTransaction(context.pool, async (client) => {
    await lockHost(client, input.hostId);
    if (problems.length > 0 || !read.ok) throw validationError(problems);
    await refuseOverlap(client, input, rangeOf(read.value));
    return writeZone(client, input, read.value);
  });
}

/** @throws DroverError `notFound`, `conflict` while guests have addresses of it (`IP_ZONE_IN_USE`) */
export async function deleteIpZone(context: Context, id: number): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  await inTransaction(context.pool, async (client) => {
    const zone = await ipZones.lock(client, id, context.viewer.hostIds);
    if (zone === null) throw notFound(`IP zone ${id}`);
    if (zone.used > 0) {
      throw new DroverError("conflict", `${zone.used} addresses of the zone are in use`, { reason: "IP_ZONE_IN_USE" });
    }
    await ipZones.remove(client, id);
  });
}

const bridgeProblems = (bridge: string): Problem[] =>
  isBridgeName(bridge) ? [] : [{ field: "bridge", message: "must be a bridge's name, such as vmbr0" }];

/** Zones of one host are made one after the other, so that two at once cannot overlap. */
async function lockHost(client: PoolClient, hostId: number): Promise<void> {
  if (!(await hosts.hold(client, hostId))) throw notFound(`Host ${hostId}`);
}

interface Range {
  readonly first: string;
  readonly last: string;
}

/** From the first to the last address that can be given out. */
function rangeOf({ family, stretches }: Zone): Range {
  const text = (value: bigint | undefined): string => formatAddress({ family, value: value ?? 0n });
  return { first: text(stretches[0]?.first), last: text(stretches.at(-1)?.last) };
}

/** Private networks may be alike on different bridges and VLANs, but not on one. */
async function refuseOverlap(client: PoolClient, input: IpZoneRequest, range: Range): Promise<void> {
  const { hostId, bridge, vlan = null } = input;
  const other = await ipZones.overlapping(client, { hostId, bridge, vlan, ...range });
  if (other === null) return;
  throw validationError([{ field: "cidr", message: `overlaps zone ${other} on the same bridge and VLAN` }]);
}

async function writeZone(client: PoolClient, input: IpZoneRequest, zone: Zone): Promise<number> {
  const { first, last } = rangeOf(zone);
  const row = {
    hostId: input.hostId,
    name: input.name.trim(),
    cidr: networkText(input.cidr),
    first,
    last,
    gateway: input.gateway ?? null,
    bridge: input.bridge,
    vlan: input.vlan ?? null,
    nameservers: input.nameservers ?? [],
    total: String(zoneSize(zone)),
  };
  const id = await ipZones.insert(client, row).catch((error: unknown) => {
    if (brokenUnique(error) === null) throw error;
    throw validationError([{ field: "name", message: "is already in use on this host" }]);
  });
  await ipZones.exclude(client, id, gapsOf(zone));
  return id;
}

/** PostgreSQL refuses a `cidr` with host bits. */
function networkText(text: string): string {
  const network = parseNetwork(text);
  if (network === null) throw new Error(`${text} passed the check of a network`);
  return `${formatAddress({ family: network.family, value: network.first })}/${network.prefixLength}`;
}

/** Everything inside the range that is never given out: what lies between the stretches of assignable addresses. */
const gapsOf = ({ family, stretches }: Zone): Range[] =>
  stretches.slice(1).map((next, index) => ({
    first: formatAddress({ family, value: (stretches[index]?.last ?? 0n) + 1n }),
    last: formatAddress({ family, value: next.first - 1n }),
  }));
