// Asks the platform for the status of a guest whose job failed after stopping it: the inventory still shows it as running.
import { locateGuest } from "../../src/host/locateGuest.js";
import { isSameGuest } from "../../src/host/sameGuest.js";
import type { GuestStatus } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import * as guests from "../../src/store/guest/record.js";
import { inFencedTransaction } from "../engine/journal.js";
import type { StepContext } from "../engine/step.js";
import type { Target } from "./target.js";

/** A host that does not answer now is left to the next sync. @throws Fenced */
export async function lookAgain(context: StepContext, target: Target): Promise<void> {
  const { services, job } = context;
  const status = await statusNow(context, target).catch((error: unknown) => {
    context.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    context.log.warn({ err: error, vmid: target.vmid }, "what the guest is doing is left to the next sync");
    return null;
  });
  if (status === null) return;
  const seen = { id: target.id, status, at: services.clock.now() };
  await inFencedTransaction(services.pool, job, (client) => guests.setStatus(client, seen));
}

/** Null when it is not there, or another guest is. */
async function statusNow({ services, job }: StepContext, target: Target): Promise<GuestStatus | null> {
  const hypervisor = await services.hypervisors.prompt(job.hostId ?? -1);
  const { type, node, vmid } = target;
  const located = await locateGuest(hypervisor, { type, node, vmid });
  if (located === null || !(await isSameGuest(hypervisor, target, located.config))) return null;
  return (await hypervisor.guestStatus(located.guest)).status;
}
