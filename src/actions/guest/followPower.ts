// Follows a power task in the background and records the guest's new status ahead of the next sync.
import type { Pool } from "pg";
import type { Services } from "../../context/context.js";
import type { GuestAddress } from "../../hypervisor/guest.js";
import type { Hypervisor } from "../../hypervisor/hypervisor.js";
import type { Upid } from "../../hypervisor/task.js";
import { taskEnd } from "../../hypervisor/taskEnd.js";
import * as guests from "../../store/guest/record.js";

/** A shutdown that takes longer is left to the next sync. */
const PATIENCE_MS = 3 * 60_000;

interface PowerTask {
  readonly hypervisor: Hypervisor;
  /** Id of the guest in the service. */
  readonly id: number;
  readonly address: GuestAddress;
  readonly upid: Upid;
}

/** Looks at guests that are under way, by database: who looks later also writes later. */
const looks = new WeakMap<Pool, Map<number, Promise<void>>>();

/** Returns at once. What is not seen, because the process ends or the host is away, the next sync finds. */
export function followPower(services: Services, task: PowerTask): void {
  follow(services, task).catch((error: unknown) =>
    services.log.debug({ err: error, upid: task.upid }, "a power task could not be followed"),
  );
}

async function follow(services: Services, task: PowerTask): Promise<void> {
  await taskEnd(task.hypervisor, task.upid, { timeoutMs: PATIENCE_MS });
  const ofDatabase = looks.get(services.pool) ?? new Map<number, Promise<void>>();
  looks.set(services.pool, ofDatabase);
  const before = ofDatabase.get(task.id) ?? Promise.resolve();
  // What kept an earlier look from its end was logged there.
  const look = before.catch(() => undefined).then(() => lookAndRecord(services, task));
  ofDatabase.set(task.id, look);
  await look.finally(() => ofDatabase.get(task.id) === look && ofDatabase.delete(task.id));
}

async function lookAndRecord({ pool, clock }: Services, { hypervisor, id, address }: PowerTask): Promise<void> {
  const { status } = await hypervisor.guestStatus(address);
  await guests.setStatusIfFree(pool, { id, status, at: clock.now() });
}
