// Creates a container: checks first, then a task that makes its volumes and unpacks the template.
import { randomBytes } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { restoreContainer } from "../backup/restoreCt.js";
import { checkLock } from "../guests/config.js";
import { failure, parameterError, permissionError } from "../api.js";
import { answerWithTask } from "../guests/guestTask.js";
import { checkVmidUnused, nodeOf } from "../guests/lookup.js";
import { checkSshKeys } from "../guests/sshKeys.js";
import { formatSize } from "../parameters/sizes.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import { superuser } from "../state/access.js";
import type { ConfigValues, Guest } from "../state/guest.js";
import { newGuest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { volumeId } from "../state/storage.js";
import { checkVolumeAccess } from "../storage/access.js";
import { volumePath } from "../storage/naming.js";
import { enabledStorage, storageNamed } from "../storage/storages.js";
import { findVolume, free } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { atLeast } from "../version.js";
import { completeContainerValues } from "./values.js";
import type { MountPoint } from "./mountPoints.js";
import {
  isMountPointName,
  mountKind,
  mountPointsOf,
  newVolumeRequest,
  parseMountPoint,
  printMountPoint,
} from "./mountPoints.js";
import { checkContainerChange } from "./permissions.js";
import { launchContainerStart } from "./start.js";
import { allocateContainerVolume } from "./volumes.js";

const notConfig = [
  "node",
  "vmid",
  "ostemplate",
  "password",
  "storage",
  "force",
  "restore",
  "pool",
  "ignore-unpack-errors",
  "ssh-public-keys",
  "bwlimit",
  "start",
  "unique",
  "unprivileged",
  "ha-managed",
];
const defaultRootGib = 4;

/** A container that has passed its checks. */
interface Plan {
  vmid: number;
  config: ConfigValues;
  mountPoints: ConfigValues;
}

/** `POST /nodes/{node}/lxc` → UPID. */
export function createContainer(call: Call): ApiAnswer {
  const { platform, parameters, identity } = call;
  const plan = checkedPlan(call);
  const restores = parameters.flag("restore");
  const present = platform.state.guests.get(plan.vmid);
  const place = { type: "lxc", vmid: plan.vmid, node: nodeOf(call), createdAtMs: platform.clock.now() } as const;
  const guest = present ?? newGuest(place, {});
  const former = guest.config;
  guest.config = { ...former, lock: "create" };
  platform.state.guests.set(plan.vmid, guest);
  return answerWithTask(call, {
    type: restores ? "vzrestore" : "vzcreate",
    expectedMs: 1700,
    run: async (task) => {
      await platform.locks.hold(guest, () =>
        restores
          ? restore(call, plan, { guest, task, former: present === undefined ? null : former })
          : build(call, plan, { guest, task }),
      );
      if (parameters.flag("start")) launchContainerStart(platform, { node: guest.node, vmid: guest.vmid, identity });
    },
  });
}

function checkedPlan(call: Call): Plan {
  const { platform, parameters, identity } = call;
  const vmid = vmidOf(call);
  const pool = parameters.optional("pool");
  const unprivileged = isUnprivileged(call);
  if (!unprivileged && atLeast(platform.release, "9.2") && identity.label !== superuser)
    platform.permissions.check(identity.label, "/", ["Sys.Modify"]);
  if (parameters.flag("ha-managed")) platform.permissions.check(identity.label, "/", ["Sys.Console"]);
  checkPlace(call, vmid);
  checkSshKeys(parameters.optional("ssh-public-keys") ?? "");
  checkAllocation(call, vmid, pool);
  const values = parameters.without(...notConfig);
  checkContainerChange(call, { vmid, pool, before: {}, values, deletes: [], unprivileged });
  const content = parameters.flag("restore") ? "backup" : "vztmpl";
  checkVolumeAccess(call, { volid: parameters.text("ostemplate"), vmid, content });
  const mountPoints = checkedMountPoints(call, values);
  const rest = Object.fromEntries(
    Object.entries(values).filter(([key]) => !isMountPointName(key) && !/^unused\d+$/.test(key)),
  );
  const config = completeContainerValues(platform.release, rest);
  if (unprivileged) config.unprivileged = "1";
  return { vmid, config, mountPoints };
}

/** A restoration by force takes the place of a stopped container; everything else needs a free VMID. */
function checkPlace(call: Call, vmid: number): void {
  const { parameters, platform } = call;
  const present = platform.state.guests.get(vmid);
  const replaces = parameters.flag("restore") && parameters.flag("force") && present?.type === "lxc";
  if (!replaces) return checkVmidUnused(platform.state, vmid);
  checkLock(present);
  if (present.runtime !== null) throw failure("can't overwrite running container");
}

/** Releases from 9 on make unprivileged containers when nothing is said. */
function isUnprivileged(call: Call): boolean {
  const { parameters, platform } = call;
  return parameters.has("unprivileged") ? parameters.flag("unprivileged") : atLeast(platform.release, "9.2");
}

function checkAllocation(call: Call, vmid: number, pool: string | undefined): void {
  const { permissions, state } = call.platform;
  const { label } = call.identity;
  if (pool !== undefined && !state.access.pools.has(pool)) throw permissionError(`pool '${pool}' does not exist`);
  const inPool = pool !== undefined && permissions.has(label, `/pool/${pool}`, ["VM.Allocate"]);
  if (!inPool && !permissions.has(label, `/vms/${vmid}`, ["VM.Allocate"])) throw permissionError();
}

/** Mount points with their storages checked; without any, a root volume of the usual size. */
function checkedMountPoints(call: Call, values: ConfigValues): ConfigValues {
  const { parameters, platform } = call;
  const storage = parameters.optional("storage") ?? "local";
  const given = Object.entries(values).filter(([key]) => isMountPointName(key));
  const wanted = Object.fromEntries(
    given.map(([key, value]) => [key, /^\d+(?:\.\d+)?$/.test(value) ? `${storage}:${value}` : value]),
  );
  if (given.length > 0 && wanted.rootfs === undefined)
    throw failure("mount points configured, but 'rootfs' not set - aborting");
  for (const [, mountPoint] of mountPointsOf(platform.release, wanted)) checkMountPoint(call, mountPoint);
  if (wanted.rootfs === undefined) checkStorage(call, storage);
  return given.length > 0 ? wanted : { rootfs: `${storage}:${defaultRootGib}` };
}

function checkMountPoint(call: Call, mountPoint: MountPoint): void {
  if (mountKind(mountPoint) === "volume") return checkStorage(call, mountPoint.volume.split(":")[0] ?? "");
  if (call.identity.label !== superuser) throw failure("Only root can pass arbitrary filesystem paths.");
}

function checkStorage(call: Call, name: string): void {
  const { platform, identity } = call;
  const storage = enabledStorage(platform.state, name, nodeOf(call));
  if (!storage.content.includes("rootdir"))
    throw parameterError({ storage: `storage '${name}' does not support container directories` });
  platform.permissions.check(identity.label, `/storage/${name}`, ["Datastore.AllocateSpace"]);
}

async function build(call: Call, plan: Plan, work: { guest: Guest; task: Worker }): Promise<void> {
  const { platform, parameters } = call;
  const { guest, task } = work;
  const made: Volume[] = [];
  try {
    const disks = makeVolumes(call, plan, { task, made });
    await task.sleep(600);
    await unpack(call, { guest, task });
    const system = { arch: "amd64", ostype: systemOf(parameters.text("ostemplate")) };
    const defaults = { hostname: `CT${plan.vmid}`, memory: "512", swap: "512" };
    guest.config = { ...defaults, ...system, ...plan.config, ...disks };
    const pool = parameters.optional("pool");
    if (pool !== undefined) platform.state.access.pools.get(pool)?.vmids.add(plan.vmid);
  } catch (error) {
    if (task.dead) throw error;
    for (const volume of made) free(platform, volume, (line) => task.log(line));
    platform.state.guests.delete(plan.vmid);
    throw failure(`unable to create CT ${plan.vmid} - ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @param work former: settings of the container that is replaced; they come back when it fails */
async function restore(
  call: Call,
  plan: Plan,
  work: { guest: Guest; task: Worker; former: ConfigValues | null },
): Promise<void> {
  const { guest, task, former } = work;
  const mountPoints = Object.keys(call.parameters.values).some(isMountPointName) ? plan.mountPoints : {};
  try {
    await restoreContainer(call, { guest, task, given: givenSettings(call, plan), mountPoints });
  } catch (error) {
    if (task.dead) throw error;
    if (former === null) call.platform.state.guests.delete(guest.vmid);
    else guest.config = former;
    throw failure(`unable to restore CT ${guest.vmid} - ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Settings that the request names itself. */
function givenSettings({ parameters }: Call, { config }: Plan): ConfigValues {
  return Object.fromEntries(Object.entries(config).filter(([key]) => parameters.has(key)));
}

function makeVolumes(call: Call, plan: Plan, work: { task: Worker; made: Volume[] }): ConfigValues {
  const { platform } = call;
  const result: ConfigValues = {};
  for (const [key, value] of Object.entries(plan.mountPoints)) {
    const mountPoint = parseMountPoint(platform.release, key, value);
    const request = newVolumeRequest(mountPoint);
    if (request === null) {
      result[key] = printMountPoint(platform.release, key, mountPoint);
      continue;
    }
    const wanted = { ...request, node: nodeOf(call), vmid: plan.vmid };
    const volume = allocateContainerVolume(platform, wanted, (line) => work.task.log(line));
    work.made.push(volume);
    const complete = { ...mountPoint, volume: volumeId(volume), size: formatSize(volume.size) };
    result[key] = printMountPoint(platform.release, key, complete);
  }
  return result;
}

async function unpack(call: Call, work: { guest: Guest; task: Worker }): Promise<void> {
  const { platform, parameters } = call;
  const { task } = work;
  const ostemplate = parameters.text("ostemplate");
  const template = findVolume(platform, ostemplate, nodeOf(call));
  if (template === null) {
    task.log(`volume '${ostemplate}' does not exist`);
    throw failure(`volume '${ostemplate}' does not exist`);
  }
  task.log(`extracting archive '${volumePath(storageNamed(platform.state, template.storage), template.name)}'`);
  await task.transfer(template.size);
  const kib = Math.ceil((template.size * 3) / 10_240) * 10;
  task.log(`Total bytes read: ${kib * 1024} (${kib}KiB, 46MiB/s)`);
  task.log("Detected container architecture: amd64");
  const host = parameters.optional("hostname") ?? `CT${vmidOf(call)}`;
  for (const type of ["ed25519", "ecdsa", "rsa"]) {
    task.log(`Creating SSH host key 'ssh_host_${type}_key' - this may take some time ...`);
    await task.sleep(250);
    task.log(`done: SHA256:${randomBytes(32).toString("base64").replace(/=+$/, "")} root@${host}`);
  }
}

const systems = "debian devuan ubuntu centos fedora opensuse archlinux alpine gentoo nixos".split(" ");
const aliases: Readonly<Record<string, string>> = { almalinux: "centos", rockylinux: "centos", rocky: "centos" };

/** Operating system of a template, as its file name tells. */
function systemOf(ostemplate: string): string {
  const name = /vztmpl\/([a-z]+)/.exec(ostemplate)?.[1] ?? "";
  return systems.includes(name) ? name : (aliases[name] ?? "unmanaged");
}
