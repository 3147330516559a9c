// Changes the power of a guest at once, on the node where it is, and has the inventory follow.
import { permit } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { GuestStatus, PowerAction } from "../../core/enums.js";
import { isNodeName } from "../../core/names.js";
import { notFound, validationError } from "../../errors/errors.js";
import type { GuestAddress } from "../../hypervisor/guest.js";
import type { Hypervisor } from "../../hypervisor/hypervisor.js";
import type { Upid } from "../../hypervisor/task.js";
import { isPlatformError, PlatformReason } from "../../hypervisor/platformError.js";
import * as guests from "../../store/guest/record.js";
import * as nodes from "../../store/node.js";
import { findGuest, refuseUnchangeable, type FoundGuest, type GuestReference } from "./findGuest.js";
import { followPower } from "./followPower.js";
import { whileGuestIsHeld } from "./holdForRequest.js";
import { locateGuest } from "../../host/locateGuest.js";
import { isSameGuest } from "../../host/sameGuest.js";

export interface PowerOrder extends GuestReference {
  /** A node of the host; the order is carried out on the node where the guest is. */
  readonly node: string;
  readonly action: PowerAction;
}

/**
 * Asks the platform; its task runs on when this returns.
 * @throws DroverError `notFound`, `validation` (node), `conflict` (`GUEST_BUSY`, `SAFETY_COPY`, `IS_TEMPLATE`), `platform`
 */
export async function powerGuest(context: Context, order: PowerOrder): Promise<{ readonly upid: Upid }> {
  permit(context, Permission.GUESTS_OPERATE);
  const guest = await findGuest(context, order);
  await requireNode(context, order);
  refuseUnchangeable(guest);
  const { address, upid } = await whileGuestIsHeld(context, guest, () => carryOut(context, guest, order.action));
  const hypervisor = await context.hypervisors.of(order.hostId);
  followPower(context, { hypervisor, id: guest.id, address, upid });
  return { upid };
}

async function carryOut(context: Context, guest: FoundGuest, action: PowerAction): Promise<Ordered> {
  const prompt = await context.hypervisors.prompt(guest.hostId);
  const ask = (): Promise<Ordered> => orderWhereItIs(prompt, guest, action);
  return action === PowerAction.SUSPEND ? pausing(context, guest, ask) : ask();
}

async function requireNode({ pool }: Context, { hostId, node }: PowerOrder): Promise<void> {
  if (!isNodeName(node)) throw validationError([{ field: "node", message: "must be a node name" }]);
  if (await nodes.isThere(pool, hostId, node)) return;
  throw validationError([{ field: "node", message: "is no node of the host" }]);
}

interface Ordered {
  readonly address: GuestAddress;
  readonly upid: Upid;
}

/**
 * Some orders to a node without the guest fail only in their task: so it is looked for first. What has its VMID by now may be
 * somebody else's.
 */
async function orderWhereItIs(hypervisor: Hypervisor, guest: FoundGuest, action: PowerAction): Promise<Ordered> {
  const { type, node, vmid } = guest;
  const located = await locateGuest(hypervisor, { type, node, vmid });
  if (located === null || !(await isSameGuest(hypervisor, guest, located.config))) {
    throw notFound(`Guest ${type}/${vmid} on the platform`);
  }
  return { address: located.guest, upid: await hypervisor.power(located.guest, action) };
}

/**
 * The platform's overview shows a paused machine as running. It is put on record before it is paused, so that a sync looks
 * closer even if this process never receives the answer.
 */
async function pausing({ pool }: Context, { id, status }: FoundGuest, ask: () => Promise<Ordered>): Promise<Ordered> {
  if (status !== GuestStatus.RUNNING) return ask();
  const { RUNNING, PAUSED } = GuestStatus;
  await guests.replaceStatus(pool, id, { from: RUNNING, to: PAUSED });
  try {
    return await ask();
  } catch (error) {
    const mayBePaused = isPlatformError(error, PlatformReason.UNCERTAIN);
    if (!mayBePaused) await guests.replaceStatus(pool, id, { from: PAUSED, to: RUNNING });
    throw error;
  }
}
