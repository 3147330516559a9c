// Answers what the agent inside a VM would: only a system on one of its disks runs one.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { guestOf } from "../guests/lookup.js";
import { memoryBytes, processorCount } from "../qemu/sizing.js";
import { hasSystem } from "../qemu/hasSystem.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { agentInterfaces } from "./interfaces.js";
import { allPlainCommands } from "./parameters.js";

/** Simulated milliseconds that an agent is waited for. */
const patienceMs = 3000;
const blockBytes = 128 * 1024 ** 2;

/** @throws ApiError 500 at once when no agent is configured, later when none answers */
async function reachAgent(call: Call): Promise<Guest> {
  const guest = guestOf(call, "qemu");
  if (!/^(?:1|enabled=1)/.test(guest.config.agent ?? "")) throw failure("No QEMU guest agent configured");
  if (guest.runtime === null) throw failure(`VM ${guest.vmid} is not running`);
  if (hasSystem(call.platform, guest) && guest.runtime.qmpstatus === "running") return guest;
  await call.platform.clock.sleep(patienceMs);
  throw failure("QEMU guest agent is not running");
}

/** A call without parameters. */
export function plain(command: string): (call: Call) => Promise<ApiAnswer> {
  return async (call) => {
    const guest = await reachAgent(call);
    if (command === "shutdown") guest.runtime = null;
    return answer({ result: resultOf(call, guest, command) });
  };
}

/** The call that names its command in the body. */
export function named(call: Call): Promise<ApiAnswer> {
  return plain(call.parameters.text("command"))(call);
}

function resultOf(call: Call, guest: Guest, command: string): unknown {
  const name = guest.config.name ?? "localhost";
  const results: Readonly<Record<string, () => unknown>> = {
    "get-fsinfo": () => [{ name: "sda1", mountpoint: "/", type: "ext4", disk: [] }],
    "get-host-name": () => ({ "host-name": name }),
    "get-memory-block-info": () => ({ size: blockBytes }),
    "get-memory-blocks": () => Array.from({ length: memoryBytes(guest.config) / blockBytes }, memoryBlock),
    "get-osinfo": () => ({ id: "debian", name: "Debian GNU/Linux", version: "12 (bookworm)", "version-id": "12" }),
    "get-time": () => call.platform.clock.now() * 1_000_000,
    "get-timezone": () => ({ zone: "UTC", offset: 0 }),
    "get-users": () => [],
    "get-vcpus": () => Array.from({ length: processorCount(guest.config) }, processor),
    info: () => ({ version: "7.2.0", supported_commands: allPlainCommands.map(supported) }),
    "network-get-interfaces": () => agentInterfaces(guest),
    "fsfreeze-status": () => "thawed",
    "fsfreeze-freeze": () => 1,
    "fsfreeze-thaw": () => 1,
    fstrim: () => ({ paths: [] }),
  };
  return results[command]?.() ?? {};
}

const memoryBlock = (_: unknown, index: number): object => ({ "phys-index": index, online: true, "can-offline": true });
const processor = (_: unknown, index: number): object => ({ "logical-id": index, online: true, "can-offline": true });
const supported = (command: string): object => ({ name: `guest-${command}`, enabled: true, "success-response": true });

/** `POST …/agent/set-user-password`. */
export async function setPassword(call: Call): Promise<ApiAnswer> {
  await reachAgent(call);
  return answer({ result: {} });
}

/** `POST …/agent/exec` → the process, which has ended by the time it is asked for. */
export async function execute(call: Call): Promise<ApiAnswer> {
  await reachAgent(call);
  return answer({ pid: 1000 });
}

/** `GET …/agent/exec-status`. */
export async function executed(call: Call): Promise<ApiAnswer> {
  await reachAgent(call);
  return answer({ exited: 1, exitcode: 0 });
}

/** `GET …/agent/file-read`: the simulated system has no files. */
export async function readFile(call: Call): Promise<ApiAnswer> {
  await reachAgent(call);
  const file = call.parameters.text("file");
  throw failure(`Agent error: failed to open file '${file}' (mode: 'r'): No such file or directory`);
}

/** `POST …/agent/file-write`. */
export async function writeFile(call: Call): Promise<ApiAnswer> {
  await reachAgent(call);
  return answer(null);
}
