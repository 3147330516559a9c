// Answers a VM's cloud-init data, and makes its image.
import type { ApiAnswer } from "../api.js";
import { checkLock, configTable, typedValue } from "../guests/config.js";
import { guestOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import { networkData, userData } from "./cloudInit.js";

const cloudInitColumns = [
  "cicustom",
  "cipassword",
  "citype",
  "ciuser",
  "ciupgrade",
  "nameserver",
  "searchdomain",
  "sshkeys",
];

/** `GET …/cloudinit`: the values that the image was made from. */
export function readCloudInit(call: Call): ApiAnswer {
  const guest = guestOf(call, "qemu");
  const table = configTable(call.platform.release, "qemu");
  const rows = cloudInitColumns.flatMap((key) => {
    const value = guest.config[key];
    // What is switched off does not show.
    if (value === undefined || value === "0") return [];
    return [{ key, value: key === "cipassword" ? "**********" : typedValue(table, key, value) }];
  });
  return answer(rows);
}

/** `PUT …/cloudinit` makes the image anew. */
export async function regenerateCloudInit(call: Call): Promise<ApiAnswer> {
  await call.platform.locks.hold(guestOf(call, "qemu"), () => checkLock(guestOf(call, "qemu")));
  return answer(null);
}

/** `GET …/cloudinit/dump`: what the guest will read. */
export function dumpCloudInit(call: Call): ApiAnswer {
  const { config, vmid } = guestOf(call, "qemu");
  const kind = call.parameters.text("type");
  if (kind === "user") return answer(userData(config, vmid));
  return answer(kind === "network" ? networkData(config) : `instance-id: ${vmid}\n`);
}
