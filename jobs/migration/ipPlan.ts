// Unlocks the guest on the target, looks at its disks, gives it its new address, and starts a container that the platform could not start.
import { GuestStatus, IpPlanKind, MigrationMode, MigrationStep, PowerAction } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import type { AddressChange } from "../../src/hypervisor/install.js";
import * as ipZones from "../../src/store/ipZone.js";
import type { Step } from "../engine/step.js";
import { checkArrivedDisks } from "./arrivedDisks.js";
import { unlockGuest } from "./unlockGuest.js";
import {
  finish,
  inputOf,
  modeOf,
  retryTransient,
  targetGuest,
  targetHost,
  targetOf,
  type MigrationFacts,
  type MigrationContext,
} from "./context.js";

const PATIENCE_MS = 20_000;

export const ipPlan: Step<MigrationFacts> = {
  name: MigrationStep.IP_PLAN,
  weight: 2,
  onError: "warn",
  async run(context) {
    await release(context);
    await tellOfDisks(context);
    const [address, power] = await Promise.allSettled([
      retryTransient(context, PATIENCE_MS, () => applyAddress(context)),
      retryTransient(context, PATIENCE_MS, () => startIfStopped(context)),
    ]);
    context.signal.throwIfAborted();
    for (const result of [power, address]) if (result.status === "rejected") throw result.reason;
    return {};
  },
};

/** A source that was cut off after the guest had gone on at the target has not unlocked it there. */
async function release(context: MigrationContext): Promise<void> {
  const hypervisor = await targetHost(context);
  const place = { hypervisor, nodeId: targetOf(context).nodeId, guest: targetGuest(context) };
  await retryTransient(context, PATIENCE_MS, () => unlockGuest(context, place));
}

/** Before the address: it goes by way of the cloud-init drive. What cannot be looked at keeps nothing else from being done. */
async function tellOfDisks(context: MigrationContext): Promise<void> {
  try {
    const differences = await retryTransient(context, PATIENCE_MS, () => checkArrivedDisks(context));
    if (differences.length > 0) context.warn(differences.join("; "));
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    context.warn(`whether all disks have arrived as they were is not known: ${error.message}`);
  }
}

async function applyAddress(context: MigrationContext): Promise<void> {
  const { ipPlan: plan } = inputOf(context);
  if (plan.kind === IpPlanKind.UNTOUCHED || plan.newAddress === null || plan.zoneId === null) return;
  const zone = await zoneOf(context, plan.zoneId);
  const hypervisor = await targetHost(context);
  const guest = targetGuest(context);
  const change = { ...zone, current: plan.currentAddress, address: plan.newAddress };
  await finish(context, hypervisor, await hypervisor.setAddress(guest, change));
}

async function zoneOf({ services }: MigrationContext, id: number): Promise<Omit<AddressChange, "current" | "address">> {
  const zone = await ipZones.find(services.pool, id);
  if (zone === null) throw new DroverError("notFound", "the IP zone of the plan is gone");
  const { prefixLength, family, gateway, vlan, nameservers } = zone;
  return { prefixLength, family, gateway, vlan, nameservers };
}

/** The platform copies a container completely before it starts it, and leaves it stopped when that fails. */
async function startIfStopped(context: MigrationContext): Promise<void> {
  if (modeOf(context) !== MigrationMode.RESTART) return;
  const hypervisor = await targetHost(context);
  const guest = targetGuest(context);
  if ((await hypervisor.guestStatus(guest)).status !== GuestStatus.STOPPED) return;
  await finish(context, hypervisor, await hypervisor.power(guest, PowerAction.START));
}
