// Whatever JSON a host answers with: it is read, or refused with the host and the place named, and nothing ever breaks.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import * as fc from "fast-check";
import { DroverError } from "../../../src/errors/errors.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { proxmoxHost } from "../../../src/hypervisor/proxmox/host.js";
import { driverOptions } from "../../../src/hypervisor/proxmox/options.js";

const UPID = "UPID:pve1:0003A1B2:01C2D3E4:6740A1B2:qmstart:100:root@pam!panel:";
const GUEST = { type: "qemu", node: "pve1", vmid: 100 } as const;

const READS: Readonly<Record<string, (host: Hypervisor) => Promise<unknown>>> = {
  version: (host) => host.version(),
  nodeVersion: (host) => host.nodeVersion("pve1"),
  cluster: (host) => host.cluster(),
  resources: (host) => host.resources(),
  sight: (host) => host.sight(),
  receivingAuthority: (host) => host.receivingAuthority(),
  planTokenLimits: (host) => host.planTokenLimits({ node: "pve1", vmid: 100, storages: [], bridges: [] }, false),
  networks: (host) => host.networks("pve1"),
  volumes: (host) => host.volumes("pve1", "local", "iso"),
  nodeHistory: (host) => host.nodeHistory("pve1"),
  recentTasks: (host) => host.recentTasks(),
  guestTasks: (host) => host.guestTasks("pve1", 100),
  vmidIsFree: (host) => host.vmidIsFree(100),
  guestConfig: (host) => host.guestConfig(GUEST),
  guestStatus: (host) => host.guestStatus(GUEST),
  pool: (host) => host.pool(GUEST),
  snapshots: (host) => host.snapshots(GUEST),
  isReplicated: (host) => host.isReplicated(GUEST),
  guestFirewall: (host) => host.guestFirewall(GUEST),
  processor: (host) => host.processor("pve1"),
  machineTypes: (host) => host.machineTypes("pve1"),
  backupJobs: (host) => host.backupJobs(),
  hostFirewall: (host) => host.hostFirewall(),
  guestAccess: (host) => host.guestAccess(GUEST),
  isHighlyAvailable: (host) => host.isHighlyAvailable(GUEST),
  endpoint: (host) => host.endpoint("pve1"),
  tokens: (host) => host.tokens("root@pam"),
  task: (host) => host.task(UPID),
  taskLog: (host) => host.taskLog(UPID),
};

/** Keys that some answer has, so that what comes is often nearly right. */
const KEYS = [
  ..."type name node status vmid version release online local quorate iface active cidr address netmask volid content".split(
    " ",
  ),
  ..."format size time cpu memused upid id user tokenid starttime endtime exitstatus n t lock qmpstatus ha managed".split(
    " ",
  ),
  ..."filename fingerprint ip guest pool digest lxc tags net0 storage plugintype maxdisk disk hastate template".split(
    " ",
  ),
];

/** Bytes of a storage. */
const LARGEST_FIGURE = 2 ** 60;

const value = fc.oneof(
  fc.constantFrom("qemu", "lxc", "node", "cluster", "storage", "running", "stopped", "OK", UPID, "pve1", 100, "100"),
  fc.constantFrom(null, 0, 1, "1", true, "", -1, 1.5, 1e300, "NaN", "\0", "100.0"),
  fc.jsonValue({ maxDepth: 2 }),
);
const row = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 12 });
const answer = fc.oneof(row, fc.array(row, { maxLength: 4 }), fc.jsonValue());

describe("hypervisor/proxmox", () => {
  for (const [name, read] of Object.entries(READS)) {
    it(`reads or refuses whatever is answered to ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(answer, answer, async (data, total) => {
          const ask = (call: { readonly path: string }) =>
            Promise.resolve({ data, total, source: `pve1 to ${call.path}`, place: "host pve1" });
          await read(proxmoxHost(ask, driverOptions())).then(requireSound, requireClear);
        }),
        { numRuns: 100 },
      );
    });
  }
});

/** Every figure is one that can be, every moment is one, and every text can be kept in a database. */
function requireSound(read: unknown): void {
  if (typeof read === "number") assert.ok(Number.isFinite(read) && Math.abs(read) <= LARGEST_FIGURE, inspect(read));
  else if (typeof read === "string") assert.ok(read.isWellFormed() && !read.includes("\0"), inspect(read));
  else if (read instanceof Date) assert.ok(!Number.isNaN(read.getTime()));
  else if (read instanceof Map) [...read].flat().forEach(requireSound);
  else if (Array.isArray(read)) read.forEach(requireSound);
  else if (typeof read === "object" && read !== null) Object.values(read).forEach(requireSound);
}

/** Names the host and the place, and holds neither a value nor a list of faults. */
function requireClear(error: unknown): void {
  assert.ok(error instanceof DroverError, inspect(error));
  if (error.reason === PlatformReason.NOT_FOUND) return;
  assert.equal(error.reason, PlatformReason.UNINTELLIGIBLE);
  assert.match(error.message, /^The answer of pve1 to \/\S+ makes no sense: /);
  assert.ok(error.message.length < 400 && !error.message.includes("\n"), error.message);
}
