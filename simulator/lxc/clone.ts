// Clones a container: linked to a template's base volumes, or with all data copied.
import type { ApiAnswer } from "../api.js";
import { failure, permissionError } from "../api.js";
import { checkBridgeAccess } from "../guests/bridges.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { checkVmidUnused, guestOf, nodeOf } from "../guests/lookup.js";
import { formatSize } from "../parameters/sizes.js";
import type { Call } from "../route.js";
import type { ConfigValues, Guest } from "../state/guest.js";
import { isTemplate, newGuest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { splitVolumeId, volumeId } from "../state/storage.js";
import { enabledStorage, storageNamed } from "../storage/storages.js";
import { existingVolume, free, linkedClone, supportsLinkedClone } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { atLeast } from "../version.js";
import { isMountPointName, mountKind, mountPointsOf, printMountPoint } from "./mountPoints.js";
import { attachmentOf, isInterfaceName, withNewInterfaceMac } from "./network.js";
import { allocateContainerVolume } from "./volumes.js";

interface Plan {
  source: Guest;
  config: ConfigValues;
  full: boolean;
  newid: number;
  node: string;
}

/** `POST …/clone` → UPID; the source carries `lock: disk` meanwhile. */
export function cloneContainer(call: Call): ApiAnswer {
  const { platform } = call;
  const plan = checkedPlan(call);
  const { source } = plan;
  const guest = newGuest(
    { type: "lxc", vmid: plan.newid, node: source.node, createdAtMs: platform.clock.now() },
    { ...plainConfig(call, plan), lock: "create" },
  );
  guest.firewall = source.firewall;
  platform.state.guests.set(plan.newid, guest);
  source.config.lock = "disk";
  return answerWithTask(call, {
    type: "vzclone",
    expectedMs: 1500,
    run: async (task) => {
      try {
        await build(call, plan, { guest, task });
      } finally {
        if (!task.dead) delete source.config.lock;
      }
    },
  });
}

function checkedPlan(call: Call): Plan {
  const { platform, parameters } = call;
  const newid = Number(parameters.text("newid"));
  const pool = parameters.optional("pool");
  if (pool !== undefined && !platform.state.access.pools.has(pool))
    throw permissionError(`pool '${pool}' does not exist`);
  const node = targetNode(call);
  const source = guestOf(call, "lxc");
  checkLock(source);
  checkVmidUnused(platform.state, newid);
  const full = parameters.has("full") ? parameters.flag("full") : !isTemplate(source);
  if (parameters.has("storage") && !full) throw failure("parameter 'storage' not allowed for linked clones");
  const snapname = parameters.optional("snapname");
  const config = snapname === undefined ? source.config : source.snapshots.get(snapname)?.config;
  if (config === undefined) throw failure(`snapshot '${snapname}' does not exist`);
  const plan = { source, config, full, newid, node };
  checkVolumes(call, plan);
  const bridges = Object.entries(config).filter(([key]) => isInterfaceName(key));
  checkBridgeAccess(
    call,
    bridges.map(([, value]) => attachmentOf(platform.release, value)),
  );
  return plan;
}

function targetNode(call: Call): string {
  const { parameters, platform } = call;
  const target = parameters.optional("target") ?? nodeOf(call);
  const node = target === "localhost" ? nodeOf(call) : target;
  if (!platform.state.nodes.has(node)) throw failure(`no such cluster node '${node}'`);
  const name = parameters.optional("storage");
  if (name === undefined) return node;
  const storage = enabledStorage(platform.state, name, nodeOf(call));
  if (node === nodeOf(call)) return node;
  enabledStorage(platform.state, name, node);
  if (!storage.shared) throw failure(`can't clone to non-shared storage '${name}'`);
  return node;
}

function checkVolumes(call: Call, plan: Plan): void {
  const { platform, identity, parameters } = call;
  let shared = true;
  for (const [key, mountPoint] of mountPointsOf(platform.release, plan.config)) {
    const kind = mountKind(mountPoint);
    if (kind !== "volume") throw failure(`unable to clone mountpoint '${key}' (type ${kind})`);
    const name = parameters.optional("storage") ?? splitVolumeId(mountPoint.volume)?.storage ?? "";
    shared &&= storageNamed(platform.state, name).shared;
    platform.permissions.check(identity.label, `/storage/${name}`, ["Datastore.AllocateSpace"]);
    if (plan.full && plan.source.runtime !== null && !parameters.has("snapname"))
      throw failure(
        atLeast(platform.release, "9.2")
          ? "Full clone of a running container is only possible from a snapshot"
          : "Cannot do full clones on a running container without snapshots",
      );
    const volume = existingVolume(platform, mountPoint.volume, plan.source.node);
    if (!plan.full && !supportsLinkedClone(platform, volume))
      throw failure(`Linked clone feature for '${mountPoint.volume}' is not available`);
  }
  if (plan.node !== plan.source.node && !shared)
    throw failure(`can't clone CT to node '${plan.node}' (CT uses local storage)`);
}

function plainConfig(call: Call, plan: Plan): ConfigValues {
  const dropped = new Set(["template", "parent", "lock"]);
  const config: ConfigValues = {};
  for (const [key, value] of Object.entries(plan.config)) {
    if (dropped.has(key) || isMountPointName(key) || /^unused\d+$/.test(key)) continue;
    config[key] = isInterfaceName(key) ? withNewInterfaceMac(call.platform.release, value) : value;
  }
  const { parameters } = call;
  config.hostname = parameters.optional("hostname") ?? config.hostname ?? `CT${plan.newid}`;
  const description = parameters.optional("description");
  if (description !== undefined) config.description = description;
  return config;
}

async function build(call: Call, plan: Plan, work: { guest: Guest; task: Worker }): Promise<void> {
  const { platform, parameters } = call;
  const { guest, task } = work;
  const made: Volume[] = [];
  if (atLeast(platform.release, "9.2"))
    task.log(`creating a clone of container ${plan.source.vmid} with ID ${plan.newid}`);
  try {
    for (const [key, mountPoint] of mountPointsOf(platform.release, plan.config)) {
      const original = existingVolume(platform, mountPoint.volume, plan.source.node);
      const volume = await copy(call, plan, { key, original, task });
      made.push(volume);
      const complete = { ...mountPoint, volume: volumeId(volume), size: formatSize(volume.size) };
      guest.config[key] = printMountPoint(platform.release, key, complete);
    }
    await task.sleep(300);
    delete guest.config.lock;
    guest.node = plan.node;
    const pool = parameters.optional("pool");
    if (pool !== undefined) platform.state.access.pools.get(pool)?.vmids.add(plan.newid);
  } catch (error) {
    if (task.dead) throw error;
    for (const volume of made) free(platform, volume, (line) => task.log(line));
    platform.state.guests.delete(plan.newid);
    throw failure(`clone failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function copy(call: Call, plan: Plan, part: { key: string; original: Volume; task: Worker }): Promise<Volume> {
  const { platform, parameters } = call;
  const { key, original, task } = part;
  const log = (line: string): void => task.log(line);
  if (!plan.full) {
    log(`create linked clone of mount point ${key} (${volumeId(original)})`);
    return linkedClone(platform, original, { vmid: plan.newid, node: plan.source.node }, log);
  }
  log(`create full clone of mountpoint ${key} (${volumeId(original)})`);
  const storage = parameters.optional("storage") ?? original.storage;
  const wanted = { storage, node: plan.source.node, vmid: plan.newid, bytes: original.size };
  const volume = allocateContainerVolume(platform, wanted, log);
  await task.transfer(original.used);
  return volume;
}
