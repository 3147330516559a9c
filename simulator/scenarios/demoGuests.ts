// Thinks up the guests of a demo node: names, sizes, addresses and loads that belong together.
import type { GuestPlan } from "./placeGuest.js";
import { Seeded } from "./seeded.js";

const mib = 1024 ** 2;

/** What a machine is for, and what that takes. */
interface Role {
  name: string;
  type: "qemu" | "lxc";
  cores: number;
  /** MiB. */
  memory: number;
  diskGb: number;
  /** Usual share of its processors in use. */
  cpuLoad: number;
  tags: string;
}

const roles: readonly Role[] = [
  { name: "web", type: "qemu", cores: 2, memory: 4096, diskGb: 32, cpuLoad: 0.18, tags: "production;web" },
  { name: "shop", type: "qemu", cores: 4, memory: 8192, diskGb: 64, cpuLoad: 0.34, tags: "production;web" },
  { name: "db", type: "qemu", cores: 4, memory: 8192, diskGb: 96, cpuLoad: 0.41, tags: "database;production" },
  { name: "mail", type: "qemu", cores: 2, memory: 4096, diskGb: 80, cpuLoad: 0.09, tags: "mail;production" },
  { name: "ci", type: "qemu", cores: 4, memory: 6144, diskGb: 48, cpuLoad: 0.52, tags: "build" },
  { name: "git", type: "lxc", cores: 2, memory: 2048, diskGb: 24, cpuLoad: 0.07, tags: "build;internal" },
  { name: "dns", type: "lxc", cores: 1, memory: 512, diskGb: 4, cpuLoad: 0.02, tags: "infra" },
  { name: "proxy", type: "lxc", cores: 2, memory: 1024, diskGb: 8, cpuLoad: 0.12, tags: "infra;web" },
  { name: "wiki", type: "lxc", cores: 1, memory: 1024, diskGb: 12, cpuLoad: 0.04, tags: "internal" },
  { name: "monitor", type: "lxc", cores: 2, memory: 2048, diskGb: 20, cpuLoad: 0.22, tags: "infra" },
  { name: "queue", type: "lxc", cores: 1, memory: 1024, diskGb: 8, cpuLoad: 0.11, tags: "production" },
  { name: "stage", type: "qemu", cores: 2, memory: 2048, diskGb: 24, cpuLoad: 0.03, tags: "staging" },
];

/** Every host of the demo knows it, so that machines can go between all of them while they run. */
const knownMachine = "pc-i440fx-8.1";

/** Roles whose machines are often switched off. */
const sometimesOff = new Set(["stage", "ci", "wiki"]);

/** Where a node's guests go. */
interface NodePlan {
  node: string;
  /** First VMID. */
  firstVmid: number;
  guests: number;
  /** Storage of the disks. */
  storage: string;
  /** First three numbers of its network, such as `10.20.1`. */
  network: string;
}

/** Plans of a node's guests; every tenth or so is stopped. */
export function demoGuests(plan: NodePlan): GuestPlan[] {
  const random = new Seeded(plan.node);
  const first = Math.floor(random.between(0, roles.length));
  return Array.from({ length: plan.guests }, (_, index) => {
    const role = roles[(first + index) % roles.length] ?? random.pick(roles);
    return planGuest(plan, { role, index }, random);
  });
}

function planGuest(plan: NodePlan, { role, index }: { role: Role; index: number }, random: Seeded): GuestPlan {
  const running = random.next() > (sometimesOff.has(role.name) ? 0.5 : 0.08);
  return {
    type: role.type,
    vmid: plan.firstVmid + index,
    node: plan.node,
    name: `${role.name}-${plan.node}-${String(index + 1).padStart(2, "0")}`,
    status: running ? "running" : "stopped",
    memory: role.memory,
    cores: role.cores,
    diskGb: role.diskGb,
    storage: plan.storage,
    snapshots: [],
    cpuLoad: role.cpuLoad * random.between(0.6, 1.3),
    memoryUsed: Math.round(role.memory * mib * random.between(0.45, 0.85)),
    config: { onboot: running, ...settings(role, `${plan.network}.${20 + index}`, `${plan.network}.1`) },
  };
}

function settings(role: Role, address: string, gateway: string): GuestPlan["config"] {
  const network = `ip=${address}/24,gw=${gateway}`;
  if (role.type === "qemu") return { tags: role.tags, ipconfig0: network, ciuser: "admin", machine: knownMachine };
  return {
    tags: role.tags,
    net0: `name=eth0,bridge=vmbr0,gw=${gateway},hwaddr=${hardwareOf(address)},ip=${address}/24,type=veth`,
  };
}

/** No two guests have the same address, so none have the same hardware address. */
function hardwareOf(address: string): string {
  const pairs = address
    .split(".")
    .slice(1)
    .map((part) => hexPair(Number(part)));
  return `BC:24:11:${pairs.join(":")}`;
}

function hexPair(value: number): string {
  return value.toString(16).toUpperCase().padStart(2, "0");
}
