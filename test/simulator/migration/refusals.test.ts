// Tests moves that are refused: at once, or in the task, and with what left behind.
import assert from "node:assert/strict";
import type { GuestPlan } from "../../../simulator/scenarios/placeGuest.js";
import { Pair, plainLog } from "./pair.js";

type Place = Partial<GuestPlan> & Pick<GuestPlan, "type">;

describe("refused remote migration", () => {
  let pair: Pair;

  before(async () => {
    pair = await Pair.start();
  });
  after(() => pair.close());

  let lastVmid = 1000;

  const immediate: [
    title: string,
    place: Place,
    parameters: () => Record<string, string>,
    status: number,
    reason: string | RegExp,
  ][] = [
    ["a locked guest", { type: "qemu", config: { lock: "backup" } }, () => ({}), 500, "VM is locked (backup)"],
    [
      "a running VM without online",
      { type: "qemu", status: "running" },
      () => ({}),
      500,
      "can't migrate running VM without --online",
    ],
    [
      "a running container without restart",
      { type: "lxc", status: "running" },
      () => ({}),
      500,
      "can't migrate running container without --online or --restart",
    ],
    [
      "a guest of the high availability",
      { type: "qemu", hastate: "started" },
      () => ({}),
      400,
      "Parameter verification failed.",
    ],
    [
      "a replicated guest",
      { type: "qemu", replicatedTo: "pveb" },
      () => ({}),
      500,
      "cannot remote-migrate replicated VM",
    ],
    [
      "the identity as storage map",
      { type: "qemu" },
      () => ({ "target-storage": "1" }),
      500,
      "remote migration requires explicit storage mapping!",
    ],
    [
      "a wrong fingerprint",
      { type: "qemu" },
      () => ({ "target-endpoint": pair.endpoint({ fingerprint: Array.from({ length: 32 }, () => "AA").join(":") }) }),
      500,
      /^fingerprint '([0-9A-F]{2}:){31}[0-9A-F]{2}' not verified, abort!$/,
    ],
    [
      "a wrong secret",
      { type: "qemu" },
      () => ({ "target-endpoint": pair.endpoint({ token: "PVEAPIToken=root@pam!panel=wrong" }) }),
      500,
      "401 Authentication failed!",
    ],
    [
      "a target where nobody listens",
      { type: "qemu" },
      () => ({ "target-endpoint": pair.endpoint({ port: 1 }) }),
      500,
      "500 Can't connect to 127.0.0.1:1 (Connection refused)",
    ],
    [
      "a port beyond the last one, of which the resolver takes the lower sixteen bits",
      { type: "qemu" },
      () => ({ "target-endpoint": pair.endpoint({ port: 65_536 + 1 }) }),
      500,
      "500 Can't connect to 127.0.0.1:65537 (Connection refused)",
    ],
  ];
  for (const [title, place, parameters, status, reason] of immediate) {
    it(`refuses ${title} at once`, async () => {
      lastVmid += 1;
      const answer = await pair.ask(pair.place({ vmid: lastVmid, ...place }), parameters());
      assert.equal(answer.status, status);
      if (typeof reason === "string") assert.equal(answer.reason, reason);
      else assert.match(answer.reason, reason);
      assert.equal(pair.source.platform.tasks.active().length, 0);
    });
  }

  const later: [title: string, place: Place, parameters: Record<string, string>, error: string][] = [
    [
      "a bridge that is not there",
      { type: "qemu" },
      { "target-bridge": "vmbr0:vmbr99" },
      "500 bridge 'vmbr99' does not exist",
    ],
    [
      "a storage that is not there",
      { type: "qemu" },
      { "target-storage": "local:tank" },
      "500 storage 'tank' does not exist",
    ],
    [
      "a USB device",
      { type: "qemu", config: { usb0: "host=1-2" } },
      {},
      "can't migrate VM which uses local devices: usb0",
    ],
    [
      "a live move of a container",
      { type: "lxc", status: "running" },
      { online: "1" },
      "lxc live migration is currently not implemented",
    ],
    [
      "a bind mount",
      { type: "lxc", config: { mp0: "/srv,mp=/srv" } },
      {},
      "cannot migrate local bind mount point 'mp0'",
    ],
  ];
  for (const [title, place, parameters, error] of later) {
    it(`fails the task of ${title} before a tunnel is opened`, async () => {
      lastVmid += 1;
      const guest = pair.place({ vmid: lastVmid, ...place });
      const { task, tunnel } = await pair.move(guest, parameters);
      assert.deepEqual(plainLog(task), [
        `ERROR: migration aborted (duration): ${error}`,
        "TASK ERROR: migration aborted",
      ]);
      assert.equal(tunnel, null);
      assert.equal(guest.config.lock, undefined);
    });
  }

  it("names a taken VMID in the second line", async () => {
    const guest = pair.place({ type: "qemu", vmid: 1100 });
    await pair.move(guest);
    delete guest.config.lock;
    const { task } = await pair.move(guest);
    assert.deepEqual(plainLog(task), [
      "ERROR: migration aborted (duration): 400 Parameter verification failed.",
      "ERROR: vmid: unable to create empty VM config - VM 1200 already exists on node 'pveb'",
      "TASK ERROR: migration aborted",
    ]);
  });

  const scanned: [title: string, place: Place, problem: string][] = [
    [
      "a mounted ISO",
      { type: "qemu", config: { ide3: "local:iso/rescue.iso,media=cdrom" } },
      "'local:iso/rescue.iso': local cdrom image",
    ],
    [
      "a snapshot",
      {
        type: "qemu",
        snapshots: [{ name: "pre", description: "" }],
        config: { scsi0: "local:1301/vm-1301-disk-0.qcow2,size=32M" },
      },
      "'local:1301/vm-1301-disk-0.qcow2': remote migration with snapshots not supported yet",
    ],
  ];
  for (const [index, [title, place, problem]] of scanned.entries()) {
    it(`finds ${title} when the tunnel is open, and cleans up`, async () => {
      const guest = pair.place({ vmid: 1300 + index, ...place });
      const { task, tunnel } = await pair.move(guest);
      const log = plainLog(task);
      const error = "Problem found while scanning volumes - can't migrate VM - check log";
      assert.deepEqual(log.slice(log.indexOf(`can't migrate local disk ${problem}`)), [
        `can't migrate local disk ${problem}`,
        `ERROR: ${error}`,
        "aborting phase 1 - cleanup resources",
        `ERROR: migration aborted (duration): ${error}`,
        "TASK ERROR: migration aborted",
      ]);
      assert.equal(tunnel?.exitstatus, "OK");
      assert.deepEqual([guest.config.lock, pair.targetGuest(guest)], [undefined, undefined]);
    });
  }

  it("refuses settings of the superuser only after everything was copied, and frees it again", async () => {
    const guest = pair.place({ type: "qemu", vmid: 1400, config: { args: "-name x" } });
    const { task, tunnel } = await pair.move(guest);
    assert.match(task.lines.join("\n"), /failed - failed to handle 'config' command - only root can set 'args' config/);
    assert.ok(plainLog(tunnel ?? task).includes("freeing volume 'local:1500/vm-1500-disk-0.qcow2' as part of cleanup"));
    assert.equal(pair.targetGuest(guest), undefined);
    assert.deepEqual(
      pair.target.platform.state.volumes.filter(({ vmid }) => vmid === 1500),
      [],
    );
  });

  it("refuses a token without Sys.Incoming", async () => {
    const { access } = pair.target.platform.state;
    access.users
      .get("root@pam")
      ?.tokens.set("weak", { secret: "weak", privilegeSeparated: true, expire: 0, comment: null });
    access.rules.push({ path: "/", type: "token", ugid: "root@pam!weak", roleid: "PVEAdmin", propagate: true });
    const endpoint = { "target-endpoint": pair.endpoint({ token: "PVEAPIToken=root@pam!weak=weak" }) };
    const { task } = await pair.move(pair.place({ type: "qemu", vmid: 1600 }), endpoint);
    assert.equal(
      plainLog(task)[0],
      "ERROR: migration aborted (duration): 403 Permission check failed (/, Sys.Incoming)",
    );
  });
});
