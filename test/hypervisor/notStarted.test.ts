// Changes for which the platform could not start a task: nothing of them was done, so they are asked for again, for a while.
import assert from "node:assert/strict";
import { GuestType, PowerAction } from "../../src/core/enums.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import { createHypervisors } from "../../src/hypervisor/hypervisors.js";
import { proxmoxDriver } from "../../src/hypervisor/proxmox/driver.js";
import type { Installation } from "../../src/hypervisor/install.js";
import type { Hypervisor, Hypervisors } from "../../src/hypervisor/hypervisor.js";
import { PlatformReason } from "../../src/hypervisor/platformError.js";
import type { DriverOptions } from "../../src/hypervisor/proxmox/options.js";
import { LeapingTime } from "../support/handTime.js";
import { Cleanup, QUICK } from "./support/driver.js";
import { refusal } from "./support/rejection.js";
import { startScriptedHost, type Play, type ScriptedHost, type Script } from "./support/scriptedHost.js";

const WORDS = "got no worker upid - start worker failed";
const NO_WORKER: Script = { status: 500, reason: WORDS, body: { data: null, message: `${WORDS}\n` } };
const UPID = "UPID:pve1:0003A1B2:01C2D3E4:6740A1B2:qmstart:100:root@pam!panel:";
const GUEST: GuestAddress = { type: GuestType.QEMU, node: "pve1", vmid: 100 };

const INSTALLATION: Omit<Installation, "guest" | "image"> = {
  storage: "local",
  pool: null,
  shape: {
    name: "app1",
    cores: 1,
    memoryMb: 512,
    network: { bridge: null, vlan: null, address: null, nameservers: [] },
  },
  diskGb: 4,
  containerRights: { unprivileged: true, nesting: false },
  access: { password: null, sshKeys: [] },
  note: "job 7",
};
const CONTAINER: Installation = {
  ...INSTALLATION,
  guest: { type: GuestType.LXC, node: "pve1", vmid: 102 },
  image: { kind: "file", volid: "local:vztmpl/debian.tar.gz" },
};

const ENDPOINT = { host: "198.51.100.2", port: 8006, fingerprint: null };
const CHANGES: [name: string, change: (driver: Hypervisor) => Promise<unknown>][] = [
  ["a power action", (driver) => driver.power(GUEST, PowerAction.START)],
  ["a deletion", (driver) => driver.destroy(GUEST)],
  ["a configuration", (driver) => driver.unprotect(GUEST)],
  ["the removal of a volume", (driver) => driver.deleteVolume("pve1", "local:100/vm-100-disk-0.raw")],
  [
    "a clone",
    (driver) =>
      driver.install({ ...INSTALLATION, guest: { ...GUEST, vmid: 101 }, image: { ...GUEST, kind: "template" } }),
  ],
  [
    "a move",
    (driver) =>
      driver.migrateRemotely({
        guest: GUEST,
        mode: "offline",
        endpoint: ENDPOINT,
        token: { user: "root@pam", name: "mig" },
        secret: "s",
        storages: [],
        bridges: [],
        targetVmid: 200,
        bandwidthMib: null,
      }),
  ],
];

const forJob = (hypervisors: Hypervisors): Promise<Hypervisor> => hypervisors.patient(1, new AbortController().signal);

describe("hypervisor: a task that could not be started", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  const open = async (
    play: Play,
    settings: Partial<DriverOptions>,
  ): Promise<{ readonly host: ScriptedHost; readonly hypervisors: Hypervisors }> => {
    const host = await startScriptedHost(play);
    const hypervisors = createHypervisors(
      () => Promise.resolve(host.connection),
      proxmoxDriver({ ...QUICK, ...settings }),
    );
    cleanup.add(() => host.close());
    cleanup.add(() => hypervisors.close());
    return { host, hypervisors };
  };

  for (const [name, change] of CHANGES) {
    it(`makes a job ask for ${name} again until there is one`, async () => {
      const play: Play = (_, index) => (index < 5 ? NO_WORKER : { data: UPID });
      const { host, hypervisors } = await open(play, { repeatAfterMs: [5] });
      assert.equal(await change(await forJob(hypervisors)), UPID);
      assert.equal(host.arrivals.length, 6);
      const [first] = host.arrivals;
      for (const { method, path, form } of host.arrivals)
        assert.deepEqual([method, path, form], [first?.method, first?.path, first?.form]);
    });
  }

  it("is given up after a while, for a job as for every other caller, and named", async () => {
    const stopwatch = new LeapingTime(10_000);
    const settings = { patienceMs: 400, repeatAfterMs: [5, 10], stopwatch };
    const { host, hypervisors } = await open(() => NO_WORKER, settings);
    const driver = await hypervisors.of(1);
    await refusal(driver.power(GUEST, PowerAction.START), PlatformReason.NOT_STARTED, WORDS);
    assert.equal(host.arrivals.length, 3);
    await refusal((await forJob(hypervisors)).destroy(GUEST), PlatformReason.NOT_STARTED, WORDS);
    assert.deepEqual(stopwatch.pauses, [5, 10, 5, 10, 250, 5, 10]);
    assert.equal(host.arrivals.length, 9);
  });

  it("leaves an empty container of one that was to be made: that is not asked for again, and named", async () => {
    const { host, hypervisors } = await open(() => NO_WORKER, { repeatAfterMs: [5] });
    const words = `${WORDS}: the platform has left an empty, locked container 102 on pve1`;
    await refusal((await forJob(hypervisors)).install(CONTAINER), PlatformReason.REFUSED, words);
    assert.equal(host.arrivals.length, 1);
  });
});
