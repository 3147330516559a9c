// Updates the records: the guest belongs to the target now, with owner, plan and address; its original gets a row of its own.
import type { PoolClient } from "pg";
import { GuestStatus, IpPlanKind, MigrationStep } from "../../src/core/enums.js";
import * as addresses from "../../src/store/address.js";
import * as guests from "../../src/store/guest/record.js";
import * as movedGuests from "../../src/store/guest/moved.js";
import * as migrations from "../../src/store/migration.js";
import type { Step } from "../engine/step.js";
import {
  inputOf,
  retryTransient,
  targetGuest,
  targetHost,
  targetOf,
  whileHeld,
  type MigrationFacts,
  type MigrationContext,
} from "./context.js";

const PATIENCE_MS = 20_000;

export const records: Step<MigrationFacts> = {
  name: MigrationStep.RECORDS,
  weight: 1,
  onError: "warn",
  async run(context) {
    const [seen] = await Promise.allSettled([retryTransient(context, PATIENCE_MS, () => observe(context))]);
    context.signal.throwIfAborted();
    await whileHeld(context, (client) => repoint(context, client, seen.status === "fulfilled" ? seen.value : UNSEEN));
    // The guest is where it is whether or not its host answers now: only how it looks there is missing.
    if (seen.status === "rejected") throw seen.reason;
    return {};
  },
};

interface GuestObservation {
  readonly status: GuestStatus;
  readonly addresses: readonly string[];
}

const UNSEEN: GuestObservation = { status: GuestStatus.UNKNOWN, addresses: [] };

async function observe(context: MigrationContext): Promise<GuestObservation> {
  const hypervisor = await targetHost(context);
  const guest = targetGuest(context);
  const [{ status }, config] = await Promise.all([hypervisor.guestStatus(guest), hypervisor.guestConfig(guest)]);
  return { status, addresses: config.addresses.map(({ address }) => address) };
}

/**
 * The guest keeps its id, and with it whatever refers to it. A second run finds it moved and changes nothing.
 * @param seen how it looks on the target; left out: not known
 */
export async function repoint(
  context: MigrationContext,
  client: PoolClient,
  seen: GuestObservation = UNSEEN,
): Promise<void> {
  const { migrationId, guestId, source } = inputOf(context);
  const target = targetOf(context);
  await guests.markOthersGone(client, guestId, target);
  const original = await movedGuests.moveToTarget(client, { guestId, from: source, to: target, ...seen });
  if (original !== null) await migrations.recordOriginal(client, migrationId, { guestId, at: source, ...original });
  await repointAddress(context, client);
}

/** The address on the source is given back: its copy will never run again. */
async function repointAddress(context: MigrationContext, client: PoolClient): Promise<void> {
  const { guestId, ipPlan } = inputOf(context);
  if (ipPlan.kind === IpPlanKind.UNTOUCHED || ipPlan.newAddress === null) return;
  const { zoneId, newAddress: address } = ipPlan;
  await addresses.releaseOthersOfGuest(client, guestId, { zoneId, address });
  if (zoneId !== null) await addresses.giveToGuest(client, guestId, { jobId: context.job.id, zoneId });
}
