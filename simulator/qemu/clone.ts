// Clones a VM: linked to a template's base disks, or in full with all data copied.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError, permissionError } from "../api.js";
import { checkBridgeAccess } from "../guests/bridges.js";
import { checkLock } from "../guests/config.js";
import { randomUUID } from "../guests/identifiers.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { ConfigValues, Guest } from "../state/guest.js";
import { isTemplate, newGuest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { splitVolumeId } from "../state/storage.js";
import { enabledStorage, storageNamed } from "../storage/storages.js";
import { findVolume, free, supportsLinkedClone } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { atLeast } from "../version.js";
import { cloneDisk } from "./cloneDisk.js";
import type { Drive } from "./drives.js";
import { drivesOf, isCdrom, isCloudInit, isUnusedName, printDrive } from "./drives.js";
import { attachments, isNetworkName, withNewMac } from "./network.js";

/** A clone that has passed its checks. */
interface Plan {
  source: Guest;
  /** Configuration of the present or of a snapshot. */
  config: ConfigValues;
  full: boolean;
  newid: number;
  node: string;
}

/** `POST …/clone` → UPID; repeats its checks inside the task. */
export function cloneVm(call: Call): ApiAnswer {
  const plan = checkedPlan(call);
  const bytes = plan.full ? copiedBytes(call, plan) : 0;
  const { tasks, locks, state } = call.platform;
  return answerWithTask(call, {
    type: "qmclone",
    expectedMs: 300 + (bytes / tasks.bytesPerSecond) * 1000,
    run: (task) =>
      locks.hold(
        { type: "qemu", vmid: vmidOf(call) },
        () => locks.hold({ type: "qemu", vmid: plan.newid }, () => clone(call, task), { timeoutMs: 1000 }),
        { shared: state.guests.get(vmidOf(call))?.runtime === null, timeoutMs: 1000, log: (line) => task.log(line) },
      ),
  });
}

function checkedPlan(call: Call): Plan {
  const { parameters, platform } = call;
  const newid = Number(parameters.text("newid"));
  checkTargets(call);
  const source = sourceOf(call);
  checkLock(source);
  const snapname = parameters.optional("snapname");
  const config = snapname === undefined ? source.config : source.snapshots.get(snapname)?.config;
  if (config === undefined) throw failure(`snapshot '${snapname}' does not exist`);
  const full = parameters.has("full") ? parameters.flag("full") : !isTemplate(source);
  for (const name of ["storage", "format"])
    if (parameters.has(name) && !full) throw failure(`parameter '${name}' not allowed for linked clones`);
  const shared = checkSpaceRights(call, config);
  checkBridgeAccess(call, attachments(platform.release, config));
  const node = targetNode(call);
  if (node !== source.node && !shared) throw failure(`can't clone VM to node '${node}' (VM uses local storage)`);
  if (platform.state.guests.has(newid)) throw failure(`unable to create VM ${newid}: config file already exists`);
  checkFeatures(call, { config, full, source });
  return { source, config, full, newid, node };
}

function sourceOf(call: Call): Guest {
  const guest = call.platform.state.guests.get(vmidOf(call));
  if (guest === undefined || guest.type !== "qemu" || guest.node !== nodeOf(call))
    throw failure(`unable to find configuration file for VM ${vmidOf(call)} on node '${nodeOf(call)}'`);
  return guestOf(call, "qemu");
}

function targetNode(call: Call): string {
  const target = call.parameters.optional("target");
  return target === undefined || target === "localhost" ? nodeOf(call) : target;
}

function checkTargets(call: Call): void {
  const { parameters, platform } = call;
  const pool = parameters.optional("pool");
  if (pool !== undefined && !platform.state.access.pools.has(pool))
    throw permissionError(`pool '${pool}' does not exist`);
  const target = targetNode(call);
  if (!platform.state.nodes.has(target)) throw failure(`no such cluster node '${target}'`);
  const name = parameters.optional("storage");
  if (name === undefined) return;
  const storage = enabledStorage(platform.state, name, nodeOf(call));
  if (!storage.content.includes("images") && atLeast(platform.release, "8.4"))
    throw parameterError({ storage: `storage '${name}' does not support vm images` });
  if (target === nodeOf(call)) return;
  enabledStorage(platform.state, name, target);
  if (!storage.shared) throw failure(`can't clone to non-shared storage '${name}'`);
}

/** Space is needed on every disk's storage, or on the one named. @returns whether all volumes are shared */
function checkSpaceRights(call: Call, config: ConfigValues): boolean {
  const { platform, identity, parameters } = call;
  let shared = true;
  for (const [, drive] of drivesOf(platform.release, config)) {
    const parts = splitVolumeId(drive.file);
    if (drive.file === "cdrom") platform.permissions.check(identity.label, "/", ["Sys.Console"]);
    if (parts === null) continue;
    shared &&= storageNamed(platform.state, parts.storage).shared;
    if (isCdrom(drive)) continue;
    const target = parameters.optional("storage") ?? parts.storage;
    platform.permissions.check(identity.label, `/storage/${target}`, ["Datastore.AllocateSpace"]);
  }
  return shared;
}

function checkFeatures(call: Call, wanted: { config: ConfigValues; full: boolean; source: Guest }): void {
  for (const [key, drive] of copiedDrives(call, wanted.config)) {
    const volume = findVolume(call.platform, drive.file, wanted.source.node);
    const linked = !wanted.full && !isCloudInit(drive) && key !== "tpmstate0";
    if (linked && volume !== null && !supportsLinkedClone(call.platform, volume))
      throw failure(linkedCloneRefusal(call, key, drive.file));
  }
}

function linkedCloneRefusal(call: Call, key: string, file: string): string {
  const what = call.parameters.has("snapname") ? `a snapshot of '${file}'` : `'${file}'`;
  return atLeast(call.platform.release, "8.4")
    ? `Linked clone feature is not supported for ${what} (${key})`
    : `Linked clone feature is not supported for drive '${key}'`;
}

/** Drives that get a volume of their own: disks and the cloud-init drive, but no other CD-ROM. */
function copiedDrives(call: Call, config: ConfigValues): [string, Drive][] {
  return drivesOf(call.platform.release, config).filter(([, drive]) => !isCdrom(drive) || isCloudInit(drive));
}

function copiedBytes(call: Call, plan: Plan): number {
  return copiedDrives(call, plan.config)
    .map(([, drive]) => findVolume(call.platform, drive.file, plan.source.node)?.used ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

async function clone(call: Call, task: Worker): Promise<void> {
  const plan = checkedPlan(call);
  const { platform } = call;
  if (atLeast(platform.release, "9.2")) task.log(`creating a clone of VM ${plan.source.vmid} with ID ${plan.newid}`);
  const guest = newGuest(
    { type: "qemu", vmid: plan.newid, node: nodeOf(call), createdAtMs: platform.clock.now() },
    { lock: "clone" },
  );
  platform.state.guests.set(plan.newid, guest);
  const made: Volume[] = [];
  try {
    guest.firewall = plan.source.firewall;
    guest.config = await clonedConfig(call, plan, { task, made });
    guest.node = plan.node;
    const pool = call.parameters.optional("pool");
    if (pool !== undefined) platform.state.access.pools.get(pool)?.vmids.add(plan.newid);
  } catch (error) {
    if (task.dead) throw error;
    for (const volume of made) free(platform, volume, (line) => task.log(line));
    platform.state.guests.delete(plan.newid);
    throw failure(`clone failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function clonedConfig(call: Call, plan: Plan, work: { task: Worker; made: Volume[] }): Promise<ConfigValues> {
  const { platform } = call;
  await work.task.sleep(200);
  const config = plainConfig(call, plan);
  for (const [key, drive] of copiedDrives(call, plan.config)) {
    const cloned = await cloneDisk({
      platform,
      task: work.task,
      made: work.made,
      key,
      drive,
      source: plan.source,
      vmid: plan.newid,
      full: plan.full || isCloudInit(drive) || key === "tpmstate0",
      storage: call.parameters.optional("storage"),
      format: call.parameters.optional("format"),
    });
    config[key] = printDrive(platform.release, key, cloned);
  }
  return config;
}

/** Everything that is taken over without a volume: new MAC addresses and UUIDs, no snapshots, no unused disks. */
function plainConfig(call: Call, plan: Plan): ConfigValues {
  const { parameters, platform } = call;
  const dropped = new Set([
    "template",
    "parent",
    "lock",
    "vmstate",
    "runningcpu",
    "runningmachine",
    "running-nets-host-mtu",
  ]);
  const config: ConfigValues = {};
  for (const [key, value] of Object.entries(plan.config)) {
    if (dropped.has(key) || isUnusedName(key)) continue;
    config[key] = isNetworkName(key) ? withNewMac(platform.release, value) : value;
  }
  config.smbios1 = [
    `uuid=${randomUUID()}`,
    ...(config.smbios1 ?? "").split(",").filter((part) => part !== "" && !part.startsWith("uuid=")),
  ]
    .toSorted()
    .join(",");
  if (config.vmgenid !== undefined) config.vmgenid = randomUUID();
  config.name = parameters.optional("name") ?? `Copy-of-VM-${plan.config.name ?? plan.source.vmid}`;
  const description = parameters.optional("description");
  if (description !== undefined) config.description = description;
  return config;
}
