// Unlocks the guest on the target, gives it its new address, and starts a container that the platform could not start.
import { GuestStatus, GuestType, IpPlanKind, MigrationMode, MigrationStep, PowerAction } from "../../src/core/enums.js";
import { staticAddresses } from "../../src/core/inventory/network.js";
import { changeProperties } from "../../src/core/inventory/propertyString.js";
import { DroverError } from "../../src/errors.js";
import type { ConfigChange, GuestConfig } from "../../src/hypervisor/guest.js";
import type { Step } from "../step.js";
import { unlockGuest } from "./unlockGuest.js";
import {
  finish,
  inputOf,
  modeOf,
  patiently,
  targetGuest,
  targetHost,
  targetOf,
  type MigrationFacts,
  type MigrationWorld,
} from "./world.js";

const PATIENCE_MS = 20_000;

export const ipPlan: Step<MigrationFacts> = {
  name: MigrationStep.IP_PLAN,
  weight: 2,
  onError: "warn",
  async run(world) {
    await release(world);
    const [address, power] = await Promise.allSettled([
      patiently(world, PATIENCE_MS, () => applyAddress(world)),
      patiently(world, PATIENCE_MS, () => startIfStopped(world)),
    ]);
    world.signal.throwIfAborted();
    for (const result of [power, address]) if (result.status === "rejected") throw result.reason;
    return {};
  },
};

/** A source that was cut off after the guest had gone on at the target has not unlocked it there. */
async function release(world: MigrationWorld): Promise<void> {
  const hypervisor = await targetHost(world);
  const place = { hypervisor, nodeId: targetOf(world).nodeId, guest: targetGuest(world) };
  await patiently(world, PATIENCE_MS, () => unlockGuest(world, place));
}

async function applyAddress(world: MigrationWorld): Promise<void> {
  const { ipPlan: plan, type } = inputOf(world);
  if (plan.kind === IpPlanKind.UNTOUCHED || plan.newAddress === null || plan.zoneId === null) return;
  const zone = await zoneOf(world, plan.zoneId);
  const hypervisor = await targetHost(world);
  const guest = targetGuest(world);
  const config = await hypervisor.guestConfig(guest);
  const index = staticAddresses(type, config.values).find(({ address }) => address === plan.currentAddress)?.index ?? 0;
  const wanted = { address: plan.newAddress, zone, index };
  const change = type === GuestType.QEMU ? machineChange(config, wanted) : containerChange(config, wanted);
  await finish(world, hypervisor, await hypervisor.configure(guest, { set: change, digest: config.digest }));
}

interface Zone {
  readonly prefixLength: number;
  readonly family: 4 | 6;
  readonly gateway: string | null;
  readonly vlan: number | null;
  readonly nameservers: readonly string[];
}

async function zoneOf({ services: { pool } }: MigrationWorld, id: number): Promise<Zone> {
  const { rows } = await pool.query<Zone>(
    `select masklen(cidr) as "prefixLength", family(cidr) as family, host(gateway) as gateway, vlan, nameservers
     from ip_zone where id = $1`,
    [id],
  );
  const [zone] = rows;
  if (zone === undefined) throw new DroverError("notFound", "the IP zone of the plan is gone");
  return zone;
}

interface WantedAddress {
  readonly address: string;
  readonly zone: Zone;
  /** The N of the interface. */
  readonly index: number;
}

/** Everything else of the entry stays, its MAC above all. */
const addressProperties = ({ address, zone }: WantedAddress): Record<string, string | null> =>
  zone.family === 4
    ? { ip: `${address}/${zone.prefixLength}`, gw: zone.gateway }
    : { ip6: `${address}/${zone.prefixLength}`, gw6: zone.gateway };

const tagOf = ({ zone: { vlan } }: WantedAddress): Record<string, string | null> => ({
  tag: vlan === null ? null : String(vlan),
});

function containerChange({ values }: GuestConfig, wanted: WantedAddress): NonNullable<ConfigChange["set"]> {
  const key = `net${wanted.index}`;
  const entry = changeProperties(values[key] ?? "", { ...addressProperties(wanted), ...tagOf(wanted) });
  return { [key]: entry, ...nameservers(wanted) };
}

/** The machine reads it from its cloud-init drive at its next start. */
function machineChange({ values }: GuestConfig, wanted: WantedAddress): NonNullable<ConfigChange["set"]> {
  const address = `ipconfig${wanted.index}`;
  const card = `net${wanted.index}`;
  const known = values[card];
  return {
    [address]: changeProperties(values[address] ?? "", addressProperties(wanted)),
    ...(known === undefined ? {} : { [card]: changeProperties(known, tagOf(wanted)) }),
    ...nameservers(wanted),
  };
}

const nameservers = ({ zone }: WantedAddress): Record<string, string> =>
  zone.nameservers.length > 0 ? { nameserver: zone.nameservers.join(" ") } : {};

/** The platform copies a container completely before it starts it, and leaves it stopped when that fails. */
async function startIfStopped(world: MigrationWorld): Promise<void> {
  if (modeOf(world) !== MigrationMode.RESTART) return;
  const hypervisor = await targetHost(world);
  const guest = targetGuest(world);
  if ((await hypervisor.guestStatus(guest)).status !== GuestStatus.STOPPED) return;
  await finish(world, hypervisor, await hypervisor.power(guest, PowerAction.START));
}
