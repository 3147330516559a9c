// Creates a VM: checks first, then a task that makes its disks and writes its configuration.
import type { ApiAnswer } from "../api.js";
import { failure, permissionError } from "../api.js";
import { restoreVm } from "../backup/restoreVm.js";
import { checkBridgeAccess } from "../guests/bridges.js";
import { randomUUID } from "../guests/identifiers.js";
import { answerWithTask } from "../guests/guestTask.js";
import { checkVmidUnused, nodeOf } from "../guests/lookup.js";
import { checkSshKeys } from "../guests/sshKeys.js";
import { normalizeTags } from "../guests/tags.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { ConfigValues, Guest } from "../state/guest.js";
import { newGuest } from "../state/guest.js";
import type { Worker } from "../tasks/worker.js";
import { atLeast } from "../version.js";
import { createDisks } from "./createDisks.js";
import { checkStorageAccess, normalizeDrives, resolveCdromAlias } from "./driveParameters.js";
import { defaultBootOrder, printBootOrder } from "./drives.js";
import { attachments, completeNetwork, isNetworkName } from "./network.js";
import { checkDevices, checkKeys } from "./permissions.js";
import { launchStart } from "./start.js";

const notConfig = [
  "node",
  "vmid",
  "archive",
  "bwlimit",
  "force",
  "pool",
  "start",
  "ha-managed",
  "storage",
  "unique",
  "live-restore",
  "import-working-storage",
];

interface CreateWork {
  guest: Guest;
  config: ConfigValues;
  task: Worker;
}

/** `POST /nodes/{node}/qemu` → UPID. */
export function createVm(call: Call): ApiAnswer {
  const { platform, parameters } = call;
  const vmid = vmidOf(call);
  const pool = parameters.optional("pool");
  checkKeysOf(parameters.optional("sshkeys"));
  checkAllocation(call, { vmid, ...(pool === undefined ? {} : { pool }) });
  if (parameters.has("archive")) return restoreVm(call);
  const config = checkedConfig(call, { vmid, ...(pool === undefined ? {} : { pool }) });
  try {
    checkVmidUnused(platform.state, vmid);
  } catch (error) {
    throw failure(`unable to create VM ${vmid} - ${messageOf(error)}`);
  }
  const guest = reserve(call, vmid);
  return answerWithTask(call, {
    type: "qmcreate",
    expectedMs: 300,
    run: (task) => build(call, { guest, config, task }),
  });
}

function checkKeysOf(sshkeys: string | undefined): void {
  if (sshkeys !== undefined) checkSshKeys(decodeURIComponent(sshkeys));
}

function checkAllocation(call: Call, target: { vmid: number; pool?: string }): void {
  const { permissions, state, release } = call.platform;
  const { label } = call.identity;
  const { parameters } = call;
  if (target.pool !== undefined && !state.access.pools.has(target.pool))
    throw permissionError(`pool '${target.pool}' does not exist`);
  const storage = parameters.optional("storage");
  if (storage !== undefined) permissions.check(label, `/storage/${storage}`, ["Datastore.AllocateSpace"]);
  if (parameters.flag("ha-managed")) permissions.check(label, "/", ["Sys.Console"]);
  if (parameters.flag("start") && atLeast(release, "9.2")) permissions.checkGuest(label, target, ["VM.PowerMgmt"]);
  // Whoever may back a VM up may also put it back over itself.
  const restores = parameters.has("archive") && parameters.flag("force") && state.guests.has(target.vmid);
  if (restores && permissions.has(label, `/vms/${target.vmid}`, ["VM.Backup"])) return;
  const inPool = target.pool !== undefined && permissions.has(label, `/pool/${target.pool}`, ["VM.Allocate"]);
  if (!inPool && !permissions.has(label, `/vms/${target.vmid}`, ["VM.Allocate"])) throw permissionError();
}

/** The configuration to write, with every entry checked against the caller's rights. */
function checkedConfig(call: Call, subject: { vmid: number; pool?: string }): ConfigValues {
  const { parameters, platform } = call;
  const wanted = resolveCdromAlias(parameters.without(...notConfig));
  checkStorageAccess(call, wanted, parameters.optional("storage"));
  checkKeys(call, subject, Object.keys(wanted));
  checkDevices(call, subject, wanted);
  checkBridgeAccess(call, attachments(platform.release, wanted));
  const config = normalizeDrives(call, wanted);
  for (const [key, value] of Object.entries(config))
    if (isNetworkName(key)) config[key] = completeNetwork(platform.release, value);
  return config;
}

/** Takes the VMID with an empty, locked configuration. */
function reserve(call: Call, vmid: number): Guest {
  const guest = newGuest(
    { type: "qemu", vmid, node: nodeOf(call), createdAtMs: call.platform.clock.now() },
    { lock: "create" },
  );
  call.platform.state.guests.set(vmid, guest);
  return guest;
}

async function build(call: Call, work: CreateWork): Promise<void> {
  const { guest, task } = work;
  const { platform, parameters } = call;
  try {
    await platform.locks.hold(guest, async () => {
      await task.sleep(250);
      guest.config = completeConfig(call, work);
    });
  } catch (error) {
    if (!task.dead) platform.state.guests.delete(guest.vmid);
    throw error;
  }
  const pool = parameters.optional("pool");
  if (pool !== undefined) platform.state.access.pools.get(pool)?.vmids.add(guest.vmid);
  if (parameters.flag("start")) {
    task.log("Execute autostart");
    launchStart(platform, { node: guest.node, vmid: guest.vmid, identity: call.identity });
  }
}

function completeConfig(call: Call, work: CreateWork): ConfigValues {
  const { platform } = call;
  const { config } = work;
  const complete: ConfigValues = { ...config, ...createDisksOrRefuse(call, work) };
  complete.meta = `creation-qemu=${platform.qemu},ctime=${platform.clock.seconds()}`;
  complete.boot =
    config.boot === undefined ? defaultBootOrder(platform.release, complete) : normalizedBoot(config.boot);
  complete.smbios1 ??= `uuid=${randomUUID()}`;
  if (complete.vmgenid === undefined || complete.vmgenid === "1") complete.vmgenid = randomUUID();
  if (complete.tags !== undefined) complete.tags = normalizeTags(complete.tags);
  return complete;
}

function normalizedBoot(boot: string): string {
  const order = /^order=([^,]+)$/.exec(boot)?.[1];
  return order === undefined ? boot : printBootOrder(order.split(/[;\s]+/));
}

function createDisksOrRefuse(call: Call, work: CreateWork): ConfigValues {
  const { guest, config, task } = work;
  try {
    return createDisks(
      {
        platform: call.platform,
        node: guest.node,
        vmid: guest.vmid,
        config,
        defaultStorage: call.parameters.optional("storage"),
        log: (line) => task.log(line),
      },
      config,
    );
  } catch (error) {
    throw failure(`unable to create VM ${guest.vmid} - ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
