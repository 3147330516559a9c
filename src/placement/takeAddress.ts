// Takes the next free addresses of an IP zone for jobs, in a time that does not grow with the zone.
import type { PoolClient } from "pg";
import { DroverError, validationError } from "../errors/errors.js";
import * as addresses from "../store/address.js";
import * as freeAddresses from "../store/freeAddress.js";
import * as ipZones from "../store/ipZone.js";
import type { ZoneFacts } from "./createGuestFacts.js";

/** The zone that an address is taken from. */
export type AddressZone = Pick<ZoneFacts, "id" | "name" | "prefixLength">;

export interface TakenAddress {
  /** Without its prefix length. */
  readonly address: string;
  /** With the zone's prefix length, as guests are configured. */
  readonly cidr: string;
}

/** @throws DroverError conflict `IP_ZONE_FULL`; validation when the zone was deleted meanwhile */
export async function takeAddress(client: PoolClient, zone: AddressZone, jobId: number): Promise<TakenAddress> {
  const [taken] = await takeAddresses(client, zone, [jobId]);
  if (taken === undefined) throw new Error("no address was taken from the IP zone");
  return taken;
}

/**
 * Takes one address for each job, in their order.
 * @throws DroverError conflict `IP_ZONE_FULL` when there are not enough for all; validation when the zone was deleted meanwhile
 */
export async function takeAddresses(
  client: PoolClient,
  zone: AddressZone,
  jobIds: readonly number[],
): Promise<TakenAddress[]> {
  const given: string[] = [];
  let lacking = [...jobIds.keys()];
  while (lacking.length > 0) {
    const free = await lowestFree(client, zone, lacking.length);
    const wanted = lacking.map((place, index) => ({ address: free[index] ?? "", jobId: jobIds[place] ?? 0 }));
    const taken = await addresses.takeForJobs(client, zone.id, wanted);
    for (const [index, place] of lacking.entries()) {
      const address = free[index] ?? "";
      if (taken.has(address)) given[place] = address;
    }
    lacking = lacking.filter((place) => given[place] === undefined);
  }
  return given.map((address) => ({ address, cidr: `${address}/${zone.prefixLength}` }));
}

/** As many as are wanted, none of which anybody is known to have; what came back is given first. @throws DroverError as `takeAddresses` */
async function lowestFree(client: PoolClient, zone: AddressZone, count: number): Promise<string[]> {
  const range = await ipZones.lockRange(client, zone.id);
  if (range === null) {
    throw validationError([{ field: "ip_source", message: "is no known IP zone" }]);
  }
  const returned = await freeAddresses.returned(client, zone.id, count);
  const missing = count - returned.length;
  const ahead = missing > 0 ? await advance(client, zone, { range, count: missing }) : [];
  return [...returned, ...ahead];
}

interface AddressNeed {
  readonly range: ipZones.Range;
  readonly count: number;
}

/** What was found taken or excluded on the way is behind the frontier then: it is looked at once in the life of a zone. */
async function advance(client: PoolClient, zone: AddressZone, wanted: AddressNeed): Promise<string[]> {
  const found = await nextFree(client, zone, wanted);
  await ipZones.advance(client, zone.id, found.at(-1) ?? wanted.range.last);
  return found;
}

async function nextFree(client: PoolClient, zone: AddressZone, { range, count }: AddressNeed): Promise<string[]> {
  const found: string[] = [];
  let { candidate } = range;
  for (;;) {
    const first = await firstFree(client, zone, { ...range, candidate });
    const lacking = count - found.length;
    if (lacking === 1) return [...found, first];
    const stretch = { zoneId: zone.id, address: first, last: range.last, count: lacking };
    const look = await freeAddresses.ofStretch(client, stretch);
    if (look === null) throw new Error("SELECT of free addresses returned no row");
    found.push(...look.free);
    if (found.length === count) return found;
    candidate = look.next;
  }
}

async function firstFree(client: PoolClient, zone: AddressZone, { candidate, last }: ipZones.Range): Promise<string> {
  let address = candidate;
  for (;;) {
    const look = await freeAddresses.look(client, { zoneId: zone.id, address, last });
    if (look === null || look.over) {
      throw new DroverError("conflict", `IP zone ${zone.name} is full`, { reason: "IP_ZONE_FULL" });
    }
    if (look.next === null) return address;
    address = look.next;
  }
}
