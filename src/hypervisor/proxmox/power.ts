// Changes the power of a guest, the way its node's version knows.
import { PowerAction } from "../../core/enums.js";
import { isAtLeast } from "../../core/version.js";
import type { GuestAddress } from "../guest.js";
import type { Upid } from "../task.js";
import type { Ask } from "./client.js";
import { isUnexplained } from "./errors.js";
import { readNodeVersion } from "./cluster.js";
import { guestPath } from "./guests.js";
import type { ApiParameters } from "./path.js";
import { upid } from "./upid.js";

/** Since then a stop can end a shutdown that the guest does not obey; before, it waits until that gives up. */
const OVERRULES_SHUTDOWN = "8.2";

/** @throws DroverError with the platform's words, for a container that does not run say */
export async function changePower(ask: Ask, guest: GuestAddress, action: PowerAction): Promise<Upid> {
  if (action !== PowerAction.STOP) return order(ask, guest, { action });
  const { version } = await readNodeVersion(ask, guest.node);
  return isAtLeast(version, OVERRULES_SHUTDOWN) ? stopAtOnce(ask, guest) : order(ask, guest, { action });
}

/** The HA manager's guests know no overruling; the refusal comes before anything happens, at times without its details. */
async function stopAtOnce(ask: Ask, guest: GuestAddress): Promise<Upid> {
  const action = PowerAction.STOP;
  try {
    return await order(ask, guest, { action, parameters: { "overrule-shutdown": true } });
  } catch (error) {
    const isNamed = error instanceof Error && error.message.includes("overrule-shutdown:");
    if (!isNamed && !isUnexplained(error)) throw error;
    return order(ask, guest, { action });
  }
}

async function order(
  ask: Ask,
  guest: GuestAddress,
  { action, parameters = {} }: { action: PowerAction; parameters?: ApiParameters },
): Promise<Upid> {
  const path = `${guestPath(guest)}/status/${action}`;
  const { data } = await ask({ method: "POST", path, parameters });
  return upid(data, path);
}
