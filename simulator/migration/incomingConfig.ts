// Writes the configuration of a guest that is coming in, with the rights of the migration's token.
import type { z } from "zod";
import { permissionError } from "../api.js";
import { updateContainer } from "../lxc/update.js";
import { Parameters } from "../parameters/parameters.js";
import { updateVm } from "../qemu/update.js";
import type { Call } from "../route.js";
import { superuser } from "../state/access.js";
import type { ConfigValues, Guest } from "../state/guest.js";
import { atLeast } from "../version.js";
import { readConfig } from "./configText.js";
import type { configSchema } from "./protocol.js";
import type { TunnelSession } from "./tunnelSession.js";

/** Keys that do not go through the update, since it would change or refuse them. */
const keptAside = new Set(["vmgenid", "meta", "unprivileged", "arch"]);
const dropped = new Set(["lock", "digest", "parent"]);

/** The texts of the guest's configuration and of its firewall's file. */
type SentConfig = z.infer<typeof configSchema>;

/**
 * Applies a configuration as a normal change would, then locks the guest for the rest of the migration.
 * @throws ApiError what the change is refused with; the guest is then as it was
 */
export async function applyIncomingConfig(session: TunnelSession, sent: SentConfig): Promise<void> {
  const guest = session.current();
  const config = readConfig(sent.conf);
  const [direct, updated] = split(config);
  delete guest.config.lock;
  try {
    await update(session, guest, { direct, updated });
  } catch (error) {
    guest.config.lock = "create";
    throw error;
  }
  Object.assign(guest.config, direct, { lock: "migrate" });
  guest.firewall = sent["firewall-config"] ?? null;
  session.lock = "migrate";
}

function split(config: ConfigValues): [direct: ConfigValues, updated: ConfigValues] {
  const entries = Object.entries(config).filter(([key]) => !dropped.has(key));
  return [
    Object.fromEntries(entries.filter(([key]) => isDirect(key))),
    Object.fromEntries(entries.filter(([key]) => !isDirect(key))),
  ];
}

function isDirect(key: string): boolean {
  return keptAside.has(key) || /^unused\d+$/.test(key);
}

interface Incoming {
  direct: ConfigValues;
  updated: ConfigValues;
}

async function update(session: TunnelSession, guest: Guest, { direct, updated }: Incoming): Promise<void> {
  const { node, vmid, type } = guest;
  const call: Call = {
    ...session.call,
    parameters: new Parameters({ ...updated, node, vmid: String(vmid) }),
  };
  if (type === "qemu") {
    await updateVm(call);
    session.task.log(`update VM ${vmid}: ${options(updated)}`);
    return;
  }
  checkPrivileged(call, direct);
  if (direct.unprivileged !== undefined) guest.config.unprivileged = direct.unprivileged;
  await updateContainer(call);
}

/** From 9.0 on a privileged container takes the right to change the system. */
function checkPrivileged({ platform, identity }: Call, direct: ConfigValues): void {
  if (direct.unprivileged === "1" || identity.label === superuser || !atLeast(platform.release, "9.2")) return;
  if (!platform.permissions.has(identity.label, "/", ["Sys.Modify"])) throw permissionError("/, Sys.Modify");
}

function options(values: ConfigValues): string {
  return Object.entries(values)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `-${key} ${key === "cipassword" ? "<hidden>" : value}`)
    .join(" ");
}
