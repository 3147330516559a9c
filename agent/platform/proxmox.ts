// The agent's platform on a real Proxmox VE node: its kernel's figures, its commands, its nftables.
import { constants, promises as fs } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../check.js";
import { readIfThere } from "../files.js";
import { forwardFaultOn, vetForwards, type Vetted } from "../forwardRules.js";
import type { RunCommand } from "./command.js";
import { runCommand } from "./command.js";
import type { CpuTimes } from "./figures.js";
import { cpuUsage, parseCpuTimes, parseMemory } from "./figures.js";
import { createVersionReader } from "./hypervisorVersion.js";
import { NodeForwards } from "./nodeForwards.js";
import { readNodeNetwork, type NodePlace } from "./nodeNetwork.js";
import type { Observation, Platform, PortForward } from "./platform.js";
import { unlockCommand } from "./platform.js";

export interface NodeOptions {
  readonly publicAddress?: string | undefined;
  readonly stateDirectory?: string | undefined;
  /** Where the node's file system begins; another one only in tests. */
  readonly root?: string;
  readonly run?: RunCommand;
  /** Between the two samples of the first CPU reading. */
  readonly firstSampleMs?: number;
}

const PROGRAMS = { qm: "/usr/sbin/qm", pct: "/usr/sbin/pct", nft: "/usr/sbin/nft" } as const;

/** The node that this process runs on. */
export function createNodePlatform(options: NodeOptions): Platform {
  const { publicAddress, stateDirectory, root = "/", run = runCommand, firstSampleMs = 500 } = options;
  const forwards = new NodeForwards({
    stateDirectory,
    publicAddress,
    run,
    nft: [PROGRAMS.nft],
    vet: (added) => vet({ root, publicAddress }, added),
  });
  const readVersion = createVersionReader(root);
  const readCpu = createCpuReader(root, firstSampleMs);

  return {
    observe: async (): Promise<Observation> => {
      const [hypervisorVersion, cpu, memory, nodeProblems, natProblems, lost] = await Promise.all([
        readVersion(),
        readCpu(),
        readText(root, "proc/meminfo").then(parseMemory),
        findNodeProblems(root),
        publicAddress === undefined ? [] : findNatProblems(root, publicAddress),
        restoreProblems(forwards),
      ]);
      const unknown = hypervisorVersion === null ? ["the version of Proxmox VE cannot be found on this node"] : [];
      return {
        hypervisorVersion,
        problems: [...unknown, ...nodeProblems, ...natProblems, ...lost],
        natConfigured: publicAddress !== undefined && natProblems.length === 0,
        publicAddress: publicAddress ?? null,
        cpuUsage: cpu,
        memoryMb: memory.totalMb,
        memoryUsedMb: memory.usedMb,
      };
    },
    unlockGuest: async (guest, timeoutMs) => {
      const [program, ...rest] = unlockCommand(guest);
      await run({ line: [PROGRAMS[program], ...rest], timeoutMs });
    },
    applyForwards: (set) => forwards.apply(set),
    close: () => undefined,
  };
}

/** The node's network is read for what is new alone. */
async function vet(place: NodePlace, added: readonly PortForward[]): Promise<Vetted> {
  if (added.length === 0) return { taken: [], faults: [] };
  const network = await readNodeNetwork(place);
  return vetForwards(added, (forward) => forwardFaultOn(network, forward));
}

/** CPU use since the last reading; the first one waits for a second sample. */
function createCpuReader(root: string, firstSampleMs: number): () => Promise<number> {
  let last: CpuTimes | null = null;
  const sample = async (): Promise<CpuTimes> => parseCpuTimes(await readText(root, "proc/stat"));
  return async () => {
    let before = last;
    if (before === null) {
      before = await sample();
      await new Promise((resolve) => setTimeout(resolve, firstSampleMs));
    }
    last = await sample();
    return cpuUsage(before, last);
  };
}

async function findNodeProblems(root: string): Promise<string[]> {
  const problems: string[] = [];
  for (const program of [PROGRAMS.qm, PROGRAMS.pct]) {
    if (!(await isExecutable(root, program))) problems.push(`${program} cannot be run: guests cannot be unlocked`);
  }
  // pmxcfs shows this file in its root while it is mounted.
  if ((await readIfThere(join(root, "etc/pve/.version"))) === null) {
    return [...problems, "the cluster file system is not mounted at /etc/pve"];
  }
  for (const folder of ["etc/pve/local/qemu-server", "etc/pve/local/lxc"]) {
    if (!(await isPermitted(root, folder, constants.W_OK))) {
      problems.push(
        `/${folder} cannot be written: without quorum, or if it was mounted after drover-agent had started`,
      );
    }
  }
  return problems;
}

async function findNatProblems(root: string, publicAddress: string): Promise<string[]> {
  const problems: string[] = [];
  if (!(await isExecutable(root, PROGRAMS.nft))) problems.push(`${PROGRAMS.nft} cannot be run: install nftables`);
  const key = publicAddress.includes(":") ? "proc/sys/net/ipv6/conf/all/forwarding" : "proc/sys/net/ipv4/ip_forward";
  if ((await readIfThere(join(root, key)))?.trim() !== "1") {
    problems.push(`the kernel does not forward packets (/${key} is not 1)`);
  }
  return problems;
}

/** Looks at every observation whether the forwards are still there, since anybody may flush the node's ruleset. */
async function restoreProblems(forwards: NodeForwards): Promise<string[]> {
  return forwards.restore().then(
    () => [],
    (error: unknown) => [`port forwards cannot be put back: ${messageOf(error)}`],
  );
}

const isExecutable = (root: string, program: string): Promise<boolean> => isPermitted(root, program, constants.X_OK);

function isPermitted(root: string, path: string, mode: number): Promise<boolean> {
  return fs.access(join(root, path), mode).then(
    () => true,
    () => false,
  );
}

function readText(root: string, path: string): Promise<string> {
  return fs.readFile(join(root, path), "utf8");
}
