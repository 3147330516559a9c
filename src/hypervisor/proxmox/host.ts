// Implements the interface to one host with its answers and tasks.
import type { Hypervisor } from "../hypervisor.js";
import { createToken, deleteToken, grantAccess, readGuestAccess, readTokens, revoke } from "./rights/access.js";
import { readReceivingAuthority, readRestricted, readSight } from "./rights/authority.js";
import type { Ask } from "./client.js";
import { readCluster, readMembers, readNodeVersion, readVersion } from "./cluster.js";
import { recreateCloudInit } from "./install/cloudInit.js";
import { markCopy, unprotect } from "./install/copyMark.js";
import { readFirewall, writeFirewall } from "./firewall.js";
import { followTask } from "./followTask.js";
import { destroy, readConfig, readPool, readStatus } from "./guests.js";
import { growSystemDisk, install, isInstalling } from "./install/install.js";
import { readBackupJobs, readHostFirewall } from "./attachments.js";
import { readMachineTypes, readProcessor } from "./hardware.js";
import { limitToken, planTokenLimits } from "./rights/limitToken.js";
import { isHighlyAvailable, isReplicated, migrateRemotely, readEndpoint, readSnapshots } from "./transfer/migrate.js";
import { deleteVolume, readHistory, readNetworks, readVolumes } from "./node.js";
import { setAddress } from "./install/network.js";
import type { DriverOptions } from "./options.js";
import { changePower } from "./power.js";
import { readResources } from "./resources.js";
import { findHindrances } from "./install/hindrances.js";
import { setUp } from "./install/setUp.js";
import { readSoftware } from "./software.js";
import { readTaskLog } from "./taskLog.js";
import { readActiveTasks, readGuestTasks, readRecentTasks, readTask, stopTask } from "./tasks.js";
import { watchTransfer } from "./transfer/watch.js";
import { readUpid } from "./upid.js";
import { isVmidBarred, isVmidFree, readVmidRange } from "./vmids.js";

/** @param ask reaches the host; it may reach it differently from call to call. */
export function proxmoxHost(ask: Ask, options: DriverOptions): Hypervisor {
  return {
    version: () => readVersion(ask),
    nodeVersion: (node) => readNodeVersion(ask, node),
    software: (node) => readSoftware(ask, node),
    cluster: () => readCluster(ask),
    members: () => readMembers(ask),
    resources: () => readResources(ask),
    sight: () => readSight(ask),
    receivingAuthority: () => readReceivingAuthority(ask),
    restricted: (guest, config) => readRestricted(ask, guest, config),
    networks: (node) => readNetworks(ask, node),
    processor: (node) => readProcessor(ask, node),
    machineTypes: (node) => readMachineTypes(ask, node),
    volumes: (node, storage, content) => readVolumes(ask, { node, storage, content }),
    deleteVolume: (node, volid) => deleteVolume(ask, node, volid),
    nodeHistory: (node) => readHistory(ask, node),
    recentTasks: () => readRecentTasks(ask),
    activeTasks: (node, vmid) => readActiveTasks(ask, node, vmid),
    vmidIsFree: (vmid) => isVmidFree(ask, vmid),
    vmidRange: () => readVmidRange(ask),
    vmidIsBarred: (vmid) => isVmidBarred(ask, vmid),
    guestConfig: (guest, view = "current") => readConfig(ask, guest, view),
    guestStatus: (guest) => readStatus(ask, guest),
    install: (installation) => install(ask, installation),
    isInstalling: (guest, image) => isInstalling(ask, guest, image),
    hindrances: (guest, how) => findHindrances(ask, guest, how),
    setUp: (guest, how) => setUp(ask, guest, how),
    growSystemDisk: (guest, sizeBytes) => growSystemDisk(ask, guest, sizeBytes),
    setAddress: (guest, change) => setAddress(ask, guest, change),
    markCopy: (guest, config, tags) => markCopy(ask, guest, { config, tags }),
    recreateCloudInit: (guest, drive) => recreateCloudInit(ask, guest, drive),
    unprotect: (guest) => unprotect(ask, guest),
    power: (guest, action) => changePower(ask, guest, action),
    destroy: (guest, removal) => destroy(ask, guest, removal),
    snapshots: (guest) => readSnapshots(ask, guest),
    pool: (guest) => readPool(ask, guest),
    backupJobs: () => readBackupJobs(ask),
    hostFirewall: () => readHostFirewall(ask),
    isReplicated: (guest) => isReplicated(ask, guest),
    guestFirewall: (guest) => readFirewall(ask, guest),
    writeGuestFirewall: (guest, firewall) => writeFirewall(ask, guest, firewall),
    guestAccess: (guest) => readGuestAccess(ask, guest),
    grantAccess: (rule) => grantAccess(ask, rule),
    isHighlyAvailable: (guest) => isHighlyAvailable(ask, guest),
    endpoint: (node) => readEndpoint(ask, node),
    migrateRemotely: (migration) => migrateRemotely(ask, migration),
    watchTransfer: (upid, question) => watchTransfer(ask, upid, question),
    createToken: (request) => createToken(ask, request),
    deleteToken: (token) => deleteToken(ask, token),
    tokens: (user) => readTokens(ask, user),
    planTokenLimits: (place, modifies) => planTokenLimits(ask, place, modifies),
    limitToken: (token, limits) => limitToken(ask, token, limits),
    revoke: (token, rule) => revoke(ask, token, rule),
    guestTasks: (node, vmid) => readGuestTasks(ask, node, vmid),
    task: (upid) => readTask(ask, upid),
    taskLog: (upid, start = 0) => readTaskLog(ask, upid, start),
    waitForTask: (upid, waiting = {}) => followTask({ ask, options }, upid, waiting),
    stopTask: (upid) => stopTask(ask, upid),
    nodeOfTask: (upid) => readUpid(upid)?.node ?? null,
  };
}
