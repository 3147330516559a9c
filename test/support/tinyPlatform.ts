// A second platform, as small as the port lets one be: guests in memory, tasks that have ended when they begin, ids of its own.
import { PowerAction, type GuestStatus } from "../../src/core/enums.js";
import { DiskKind } from "../../src/core/inventory/disk.js";
import { NO_MARKS } from "../../src/core/inventory/identity.js";
import { PLAIN_TRAITS } from "../../src/core/migration/guestTraits.js";
import { GIB, MIB } from "../../src/core/units.js";
import type { Grant, TokenName } from "../../src/hypervisor/access.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import type { Hypervisor, Hypervisors } from "../../src/hypervisor/hypervisor.js";
import { isNew, type NewShape } from "../../src/hypervisor/install.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { TaskWork, type TaskStatus } from "../../src/hypervisor/task.js";

/** A guest of a tiny host. */
interface TinyGuest {
  readonly at: GuestAddress;
  readonly name: string;
  status: GuestStatus;
  config: GuestConfig;
}

/** One host with one node, which has its name. */
export interface TinyHost {
  readonly name: string;
  readonly hypervisor: Hypervisor;
  readonly guests: Map<number, TinyGuest>;
  readonly tokens: Map<string, Grant[]>;
  /** Notes that a guest has come. @param user who has sent it */
  receive(at: GuestAddress, user: string): void;
}

export const TINY_IMAGE = "shelf:vztmpl/base.tar.gz";
const STORAGE = "shelf";
const VERSION = { version: "9.9.9", major: 9, minor: 9 };

export const configOf = (name: string, { cores = 1, memoryMb = 64 }: Partial<NewShape>, note: string): GuestConfig => {
  const disk = { key: "first", kind: DiskKind.DATA, volume: `${name}.disk`, storage: STORAGE, bytes: GIB };
  return {
    note,
    lock: null,
    lockCause: null,
    isTemplate: false,
    isProtected: false,
    tags: [],
    cores,
    memoryMb,
    disks: [disk],
    systemDisk: disk,
    ownVolumes: [disk.volume],
    cards: [],
    addresses: [],
    marks: NO_MARKS,
    traits: PLAIN_TRAITS,
    hardware: { machine: null, cpuModel: null, processors: cores },
    stateStorage: null,
    containerRights: { unprivileged: true, nesting: false },
    settings: { cores: `${cores}` },
    passingSettings: [],
    keptSettings: {},
    digest: "1",
  };
};

const fullName = ({ user, name }: TokenName): string => `${user}!${name}`;

const done = <Value>(value: Value): Promise<Value> => Promise.resolve(value);

/** @param neighbours every host of the platform, this one included: transfers arrive there */
export function tinyHost(name: string, neighbours: Map<string, TinyHost>): TinyHost {
  const guests = new Map<number, TinyGuest>();
  const tokens = new Map<string, Grant[]>();
  const tasks: TaskStatus[] = [];
  const ended = (work: TaskWork, { vmid }: Pick<GuestAddress, "vmid">, user = "service"): string => {
    const upid = `${name} did ${tasks.length}`;
    const now = new Date();
    const how = { running: false, exitStatus: "fine", succeeded: true, startedAt: now, endedAt: now };
    tasks.unshift({ upid, node: name, type: work, work, targetId: `${vmid}`, user, ...how });
    return upid;
  };
  const missing = (what: string) => platformError(PlatformReason.NOT_FOUND, `${name} has no ${what}`);
  const the = ({ vmid }: GuestAddress): TinyGuest => {
    const guest = guests.get(vmid);
    if (guest === undefined) throw missing(`guest ${vmid}`);
    return guest;
  };
  const change = (guest: GuestAddress, changed: Partial<GuestConfig>): Promise<null> => {
    the(guest).config = { ...the(guest).config, ...changed };
    return done(null);
  };
  const taskOf = (upid: string): TaskStatus => {
    const task = tasks.find((one) => one.upid === upid);
    if (task === undefined) throw missing("such task");
    return task;
  };
  const node = { name, status: "online", uptimeSeconds: 1, cpuCores: 8 } as const;
  const storage = { node: name, name: STORAGE, type: "dir", shared: false, active: true } as const;
  const hypervisor: Hypervisor = {
    version: () => done(VERSION),
    nodeVersion: () => done(VERSION),
    software: () => done({ qemuServer: null, pveContainer: null, architecture: null }),
    cluster: () =>
      done({ kind: "standalone", name: null, quorate: true, nodes: [{ name, online: true, local: true }] }),
    members: () => done([{ name, certificate: null }]),
    resources: () =>
      done({
        nodes: [{ ...node, memoryBytes: 64 * GIB, load: { cpuUsage: 0, memoryUsedBytes: 0 } }],
        storages: [
          {
            ...storage,
            content: ["images", "rootdir", "vztmpl"],
            room: { totalBytes: 900 * GIB, usedBytes: 0 },
          },
        ],
        impossible: [],
        guests: [...guests.values()].map(({ at, name: title, status, config }) => ({
          ...at,
          name: title,
          status,
          template: false,
          lock: config.lock,
          lockCause: config.lockCause,
          tags: config.tags,
          cores: config.cores,
          memoryBytes: config.memoryMb * MIB,
          diskBytes: GIB,
          cpuUsage: 0,
          memoryUsedBytes: 0,
          uptimeSeconds: 1,
          highlyAvailable: false,
        })),
      }),
    sight: () => done({ missingForHost: null, missingForGuests: null }),
    receivingAuthority: () =>
      done({
        missingForHost: null,
        missingForGuests: null,
        rightsFor: () => ({ missing: null, missingToLimit: null, modification: null, missingForTags: null }),
      }),
    restricted: () => done(null),
    networks: () => done([{ name: "net", type: "bridge", active: true, cidr: null, mtu: null, vlanAware: true }]),
    processor: () => done(null),
    machineTypes: () => done([]),
    volumes: (_node, _storage, content) => {
      const volume = { content: "vztmpl", format: null, sizeBytes: 1, vmid: null, createdAt: null };
      return done(content === undefined || content === volume.content ? [{ ...volume, volid: TINY_IMAGE }] : []);
    },
    deleteVolume: () => done(null),
    nodeHistory: () => done([]),
    recentTasks: () => done([...tasks]),
    activeTasks: () => done([]),
    vmidIsFree: (vmid) => done(!guests.has(vmid)),
    vmidRange: () => done({ lower: 100, upper: 1_000_000 }),
    vmidIsBarred: () => done(false),
    guestConfig: async (guest) => the(guest).config,
    guestStatus: async (guest) => ({ ...the(guest), lock: null, handover: null, machine: null }),
    install({ guest, shape, note }) {
      const wanted: Partial<NewShape> = isNew(shape) ? shape : {};
      const title = wanted.name ?? "again";
      guests.set(guest.vmid, { at: guest, name: title, status: "stopped", config: configOf(title, wanted, note) });
      return done(ended(TaskWork.CREATE, guest));
    },
    isInstalling: () => done(false),
    hindrances: () => done([]),
    setUp: (guest) => change(guest, { note: "" }),
    growSystemDisk: () => done(null),
    setAddress: () => done(null),
    markCopy: (guest, _config, tags) => change(guest, { tags }),
    recreateCloudInit: () => done(null),
    unprotect: (guest) => change(guest, { isProtected: false }),
    power: async (guest, action) => {
      the(guest).status = action === PowerAction.START ? "running" : "stopped";
      return ended(action === PowerAction.START ? TaskWork.START : TaskWork.OTHER, guest);
    },
    destroy: async (guest) => {
      if (the(guest).status !== "stopped") throw platformError(PlatformReason.REFUSED, "it runs");
      guests.delete(guest.vmid);
      return ended(TaskWork.DESTROY, guest);
    },
    snapshots: () => done([]),
    pool: () => done(null),
    backupJobs: () => done([]),
    hostFirewall: () => done(null),
    isReplicated: () => done(false),
    guestFirewall: () => done({ options: {}, aliases: [], sets: [], rules: [], complaints: [] }),
    writeGuestFirewall: () => done(undefined),
    guestAccess: () => done([]),
    grantAccess: () => done(undefined),
    isHighlyAvailable: () => done(false),
    endpoint: () => done({ host: name, fingerprint: null }),
    migrateRemotely: async ({ guest, endpoint, token, targetVmid }) => {
      const target = neighbours.get(endpoint.host);
      if (target === undefined || !target.tokens.has(fullName(token)))
        throw platformError(PlatformReason.FORBIDDEN, "no");
      const { name: title, status, config } = the(guest);
      const at = { ...guest, node: target.name, vmid: targetVmid };
      target.guests.set(targetVmid, { at, name: title, status, config: { ...config } });
      the(guest).status = "stopped";
      target.receive(at, fullName(token));
      return ended(TaskWork.SEND, guest);
    },
    watchTransfer: (_upid, { total }) => ({
      look: () => {
        const end = { succeeded: true, isKnown: true, reason: "fine", failure: null };
        return done({ log: ["handed over"], hasGrown: true, copied: total, receivedBy: null, end });
      },
    }),
    createToken: async (token) => {
      tokens.set(fullName(token), []);
      return "secret";
    },
    deleteToken: async (token) => void tokens.delete(fullName(token)),
    tokens: () => done([...tokens.keys()].map((token) => token.slice(token.indexOf("!") + 1))),
    planTokenLimits: (place, modifies) => {
      const grants = [{ path: `guest ${place.vmid}`, role: "maker", propagate: false }];
      return done({ grants, missing: null, modifies });
    },
    limitToken: async (token, { grants }) => void tokens.set(fullName(token), [...grants]),
    revoke: () => done(undefined),
    guestTasks: (_node, vmid) => done(tasks.filter(({ targetId }) => targetId === `${vmid}`)),
    task: async (upid) => taskOf(upid),
    taskLog: () => done([]),
    waitForTask: async (upid) => ({ ...taskOf(upid), failure: null, place: "a tiny platform" }),
    stopTask: () => done(undefined),
    nodeOfTask: () => null,
  };
  const receive = (at: GuestAddress, user: string): void => void ended(TaskWork.RECEIVE, at, user);
  const host = { name, hypervisor, guests, tokens, receive };
  neighbours.set(name, host);
  return host;
}

const none = (): never => {
  throw new Error("a tiny host is connected from its birth");
};

/** @param hosts by their ids on record */
export function tinyHypervisors(hosts: ReadonlyMap<number, TinyHost>): Hypervisors {
  const of = async (id: number): Promise<Hypervisor> => {
    const host = hosts.get(id);
    if (host === undefined) throw platformError(PlatformReason.NOT_FOUND, `no host ${id}`);
    return host.hypervisor;
  };
  return {
    of,
    prompt: of,
    patient: of,
    once: of,
    connect: none,
    forget: () => done(undefined),
    close: () => done(undefined),
  };
}
