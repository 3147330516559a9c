// A platform of one cluster whose answers a test writes directly, where the simulator's rules would be in the way.
import { GuestStatus, NodeStatus } from "../../../src/core/enums.js";
import { MIB } from "../../../src/core/units.js";
import { describeConfig } from "../../../src/hypervisor/proxmox/config/describeConfig.js";
import type { Hypervisor, Hypervisors } from "../../../src/hypervisor/hypervisor.js";
import type { ObservedGuest } from "../../../src/hypervisor/observed.js";
import { noPlatform } from "../../support/services.js";

/** A guest as the overview shows it, and what only its configuration tells. */
export interface ScriptedGuest extends ObservedGuest {
  readonly uuid: string;
  /** Not listed although it is there. */
  readonly hidden: boolean;
}

/** Guests by VMID. */
export type Script = Map<number, ScriptedGuest>;

export const NODES = ["pvea", "pveb"] as const;

export const scriptedGuest = (vmid: number, changes: Partial<ScriptedGuest> = {}): ScriptedGuest => ({
  type: "qemu",
  vmid,
  node: "pvea",
  name: `guest${vmid}`,
  status: GuestStatus.RUNNING,
  template: false,
  lock: null,
  lockCause: null,
  tags: [],
  cores: 2,
  memoryBytes: 1024 * MIB,
  diskBytes: 0,
  cpuUsage: 0.1,
  memoryUsedBytes: 512 * MIB,
  uptimeSeconds: 3600,
  highlyAvailable: false,
  uuid: `00000000-0000-4000-8000-${String(vmid).padStart(12, "0")}`,
  hidden: false,
  ...changes,
});

/** Every host is this platform; what the script does not speak of is not to be asked. */
export function scriptedHypervisors(script: Script): Hypervisors {
  const version = { version: "9.2.1", major: 9, minor: 2 };
  const answers: Partial<Hypervisor> = {
    version: () => Promise.resolve(version),
    nodeVersion: () => Promise.resolve(version),
    software: () => Promise.resolve({ qemuServer: "9.2.6", pveContainer: "6.1.10", architecture: "amd64" }),
    members: () => Promise.resolve([]),
    cluster: () => Promise.resolve({ kind: "cluster", name: "scripted", quorate: true, nodes: NODES.map(member) }),
    resources: () =>
      Promise.resolve({
        nodes: NODES.map(node),
        storages: [],
        impossible: [],
        guests: [...script.values()].filter(({ hidden }) => !hidden),
      }),
    sight: () => Promise.resolve({ missingForHost: null, missingForGuests: null }),
    networks: () => Promise.resolve([]),
    nodeHistory: () => Promise.resolve([]),
    recentTasks: () => Promise.resolve([]),
    vmidIsFree: (vmid) => Promise.resolve(!script.has(vmid)),
    vmidRange: () => Promise.resolve({ lower: 100, upper: 1_000_000 }),
    guestConfig: (guest) => Promise.resolve(describeConfig(guest, configOf(script.get(guest.vmid)), "")),
    guestStatus: ({ vmid }) =>
      Promise.resolve({
        status: script.get(vmid)?.status ?? GuestStatus.UNKNOWN,
        lock: null,
        handover: null,
        machine: null,
      }),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a sync asks nothing else
  return { ...noPlatform, of: () => Promise.resolve(answers as Hypervisor) };
}

const member = (name: string) => ({ name, online: true, local: name === NODES[0] });

const node = (name: string) => ({
  name,
  status: NodeStatus.ONLINE,
  uptimeSeconds: 86_400,
  cpuCores: 8,
  memoryBytes: 64 * 1024 * MIB,
  load: { cpuUsage: 0.5, memoryUsedBytes: 1024 * MIB },
});

const configOf = (guest: ScriptedGuest | undefined): Record<string, string> => ({
  name: guest?.name ?? "",
  cores: String(guest?.cores ?? 1),
  memory: String((guest?.memoryBytes ?? 0) / MIB),
  scsi0: "local-lvm:vm-disk-0,size=8G",
  ...(guest?.type === "qemu" ? { smbios1: `uuid=${guest.uuid}` } : {}),
});
