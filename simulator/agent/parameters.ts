// Says what the calls to a VM's guest agent accept.
import { flag, guest, text } from "../parameters/common.js";
import type { PropertyTable } from "../parameters/propertyTable.js";

/** Calls without parameters, by verb. */
export const plainCommands = {
  GET: "get-fsinfo get-host-name get-memory-block-info get-memory-blocks get-osinfo get-time get-timezone get-users get-vcpus info network-get-interfaces".split(
    " ",
  ),
  POST: "fsfreeze-freeze fsfreeze-status fsfreeze-thaw fstrim ping shutdown suspend-disk suspend-hybrid suspend-ram".split(
    " ",
  ),
} as const;
export const allPlainCommands = [...plainCommands.GET, ...plainCommands.POST].toSorted();

const agent = "/nodes/{node}/qemu/{vmid}/agent";
const content = { type: "string", maxLength: 61_440 };

export const agentTables: Record<string, PropertyTable> = {
  [`GET ${agent}`]: guest,
  [`POST ${agent}`]: { ...guest, command: { type: "string", enum: allPlainCommands } },
  ...Object.fromEntries(plainCommands.GET.map((command) => [`GET ${agent}/${command}`, guest])),
  ...Object.fromEntries(plainCommands.POST.map((command) => [`POST ${agent}/${command}`, guest])),
  [`POST ${agent}/set-user-password`]: {
    ...guest,
    username: { type: "string" },
    password: { type: "string", minLength: 5, maxLength: 1024 },
    crypted: flag,
  },
  [`POST ${agent}/exec`]: { ...guest, command: { type: "array" }, "input-data": { ...text, maxLength: 1_048_576 } },
  [`GET ${agent}/exec-status`]: { ...guest, pid: { type: "integer" } },
  [`GET ${agent}/file-read`]: { ...guest, file: { type: "string" } },
  [`POST ${agent}/file-write`]: { ...guest, file: { type: "string" }, content, encode: flag },
};
