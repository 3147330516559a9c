// The real platform on a node that is a folder: its figures, its health, the commands that it runs.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Command } from "../../../agent/platform/command.js";
import { runCommand } from "../../../agent/platform/command.js";
import type { PortForward } from "../../../agent/platform/platform.js";
import type { NodeOptions } from "../../../agent/platform/proxmox.js";
import { createNodePlatform } from "../../../agent/platform/proxmox.js";

const FORWARD: PortForward = { id: "1", protocol: "tcp", publicPort: 2222, guestAddress: "10.0.0.5", guestPort: 22 };

const NODE_FILES = {
  "proc/stat": "cpu 10 0 10 80 0 0 0 0 0 0\n",
  "proc/meminfo": "MemTotal: 2048000 kB\nMemAvailable: 1024000 kB\n",
  "proc/sys/net/ipv4/ip_forward": "1\n",
  "proc/sys/net/ipv6/conf/all/forwarding": "0\n",
  "usr/share/perl5/PVE/pvecfg.pm": "sub version {\n    return '8.4.5';\n}\n",
  "proc/net/tcp": "  sl  local_address rem_address   st\n   0: 00000000:0C1A 00000000:0000 0A\n",
  "proc/net/udp": "",
  "proc/net/arp": "",
  "proc/net/route": "vmbr1\t0000000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n",
  "etc/pve/.version": "{}",
  "etc/pve/local/qemu-server/100.conf": "",
  "etc/pve/local/lxc/101.conf": "",
  "etc/pve/nodes/pve1/qemu-server/100.conf": "net0: virtio=BC:24:11:AA:BB:05,bridge=vmbr1\n",
  "usr/sbin/qm": "",
  "usr/sbin/pct": "",
  "usr/sbin/nft": "",
};

describe("agent platform: Proxmox VE node", () => {
  let root: string;
  let ran: Command[];
  let rulesets: string[];
  let output: string | Error;
  const run = async (command: Command): Promise<string> => {
    ran.push(command);
    const [program, option, path] = command.line;
    if (program === "/usr/sbin/nft" && option === "-f") rulesets.push(await readFile(path ?? "", "utf8"));
    if (output instanceof Error) throw output;
    return output;
  };

  const node = (): NodeOptions => ({ root, run, firstSampleMs: 0 });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "drover-node-"));
    ran = [];
    rulesets = [];
    output = "";
    for (const [path, text] of Object.entries(NODE_FILES)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text, { mode: 0o755 });
    }
  });
  afterEach(() => rm(root, { recursive: true }));

  it("reports a healthy node without NAT", async () => {
    assert.deepEqual(await createNodePlatform(node()).observe(), {
      hypervisorVersion: "8.4.5",
      problems: [],
      natConfigured: false,
      publicAddress: null,
      cpuUsage: 0,
      memoryMb: 2000,
      memoryUsedMb: 1000,
    });
    assert.deepEqual(ran, []);
  });

  it("reports the CPU use since the last observation", async () => {
    const platform = createNodePlatform(node());
    await platform.observe();
    await writeFile(join(root, "proc/stat"), "cpu 30 0 15 155 0 0 0 0 0 0\n");
    assert.equal((await platform.observe())?.cpuUsage, 0.25);
  });

  it("does NAT when it has a public address and the kernel forwards", async () => {
    const four = await createNodePlatform({ ...node(), publicAddress: "203.0.113.4" }).observe();
    assert.deepEqual([four?.natConfigured, four?.publicAddress, four?.problems], [true, "203.0.113.4", []]);
    const six = await createNodePlatform({ ...node(), publicAddress: "2001:db8::4" }).observe();
    assert.equal(six?.natConfigured, false);
    assert.match(six?.problems.join() ?? "", /ipv6\/conf\/all\/forwarding is not 1/);
  });

  const lacking: [string, RegExp][] = [
    ["usr/sbin/qm", /qm cannot be run/],
    ["usr/sbin/pct", /pct cannot be run/],
    ["usr/sbin/nft", /nft cannot be run: install nftables/],
    ["etc/pve/.version", /cluster file system is not mounted/],
    ["etc/pve/local/lxc", /etc\/pve\/local\/lxc cannot be written: without quorum, or if it was mounted after/],
    ["usr/share/perl5/PVE/pvecfg.pm", /version of Proxmox VE cannot be found/],
    ["proc/sys/net/ipv4/ip_forward", /does not forward packets/],
  ];
  for (const [path, problem] of lacking) {
    it(`names the problem when /${path} is not there`, async () => {
      await rm(join(root, path), { recursive: true });
      const seen = await createNodePlatform({ ...node(), publicAddress: "203.0.113.4" }).observe();
      assert.equal(seen?.problems.length, 1);
      assert.match(seen?.problems[0] ?? "", problem);
    });
  }

  it("notices an upgrade of Proxmox VE without a restart", async () => {
    const platform = createNodePlatform(node());
    await platform.observe();
    await writeFile(join(root, "usr/share/perl5/PVE/pvecfg.pm"), "sub version {\n    return '9.0.3';\n}\n");
    await mkdir(join(root, "var/lib/dpkg"), { recursive: true });
    await writeFile(join(root, "var/lib/dpkg/status"), "");
    assert.equal((await platform.observe())?.hypervisorVersion, "9.0.3");
  });

  it("unlocks with the program of the guest's type, as an argument list", async () => {
    const platform = createNodePlatform(node());
    await platform.unlockGuest({ type: "qemu", vmid: 100 }, 1000);
    await platform.unlockGuest({ type: "lxc", vmid: 101 }, 2000);
    assert.deepEqual(ran, [
      { line: ["/usr/sbin/qm", "unlock", "100"], timeoutMs: 1000 },
      { line: ["/usr/sbin/pct", "unlock", "101"], timeoutMs: 2000 },
    ]);
  });

  it("applies and saves forwards, and puts them back when their table is gone", async () => {
    const stateDirectory = join(root, "state");
    const platform = createNodePlatform({ ...node(), stateDirectory });
    await platform.applyForwards([FORWARD]);
    const [applied] = ran.splice(0);
    assert.deepEqual(applied?.line.slice(0, 2), ["/usr/sbin/nft", "-f"]);
    await assert.rejects(readFile(applied?.line[2] ?? ""), /ENOENT/);
    const [ruleset = ""] = rulesets.splice(0);
    assert.match(ruleset, /dport 2222 dnat ip to 10\.0\.0\.5:22/);

    const restarted = createNodePlatform({ ...node(), stateDirectory });
    output = "table inet filter\n";
    await restarted.observe();
    assert.deepEqual(
      ran.splice(0).map(({ line }) => line[1]),
      ["list", "-f"],
    );
    assert.deepEqual(rulesets.splice(0), [ruleset]);
    output = "table inet filter\ntable inet drover\n";
    await restarted.observe();
    assert.deepEqual(
      ran.splice(0).map(({ line }) => line.at(-1)),
      ["tables"],
    );

    await restarted.applyForwards([]);
    await assert.rejects(readFile(join(stateDirectory, "forwards.json")), /ENOENT/);
  });

  it("takes no forward to a foreign address, nor of a port in use, reports both, and applies the rest", async () => {
    const stateDirectory = join(root, "state");
    const platform = createNodePlatform({ ...node(), stateDirectory });
    await platform.applyForwards([FORWARD]);
    const foreign = { ...FORWARD, id: "2", publicPort: 2223, guestAddress: "192.0.2.9" };
    const inUse = { ...FORWARD, id: "3", publicPort: 3098 };
    const fit = { ...FORWARD, id: "4", publicPort: 2224 };
    await assert.rejects(
      platform.applyForwards([foreign, inUse, fit]),
      /forward 2: 192\.0\.2\.9 is in no network of the node.*; forward 3: a program of the node listens on tcp port 3098/,
    );
    const saved = await readFile(join(stateDirectory, "forwards.json"), "utf8");
    for (const text of [saved, rulesets.at(-1) ?? ""]) {
      assert.match(text, /2224/);
      assert.doesNotMatch(text, /2222|2223|3098/);
    }
  });

  it("keeps what is in force when the node's network has changed, and lets single forwards go", async () => {
    const stateDirectory = join(root, "state");
    const platform = createNodePlatform({ ...node(), stateDirectory });
    const other = { ...FORWARD, id: "2", publicPort: 2223 };
    await platform.applyForwards([FORWARD, other]);
    await writeFile(join(root, "proc/net/route"), "");
    await assert.rejects(platform.applyForwards([FORWARD, { ...other, publicPort: 2224 }]), /in no network/);
    assert.match(rulesets.at(-1) ?? "", /dport 2222/);
    assert.doesNotMatch(rulesets.at(-1) ?? "", /2223|2224/);
    await createNodePlatform({ ...node(), stateDirectory }).applyForwards([{ ...FORWARD, guestPort: 2022 }]);
    assert.match(rulesets.at(-1) ?? "", /dport 2222 dnat ip to 10\.0\.0\.5:2022/);
  });

  it("takes nothing new on a node that shows nothing of its network, and lets go what is to go", async () => {
    const stateDirectory = join(root, "state");
    const platform = createNodePlatform({ ...node(), stateDirectory });
    await platform.applyForwards([FORWARD]);
    await rm(join(root, "proc/net"), { recursive: true });
    const other = { ...FORWARD, id: "2", publicPort: 2223 };
    await assert.rejects(platform.applyForwards([other]), /no new forward is taken: ENOENT/);
    assert.doesNotMatch(rulesets.at(-1) ?? "", /dport/);
    await platform.applyForwards([]);
  });

  it("replaces a saved set that cannot be used", async () => {
    const stateDirectory = join(root, "state");
    await mkdir(stateDirectory);
    await writeFile(join(stateDirectory, "forwards.json"), "[{}]");
    const platform = createNodePlatform({ ...node(), stateDirectory });
    await platform.applyForwards([FORWARD]);
    assert.match(await readFile(join(stateDirectory, "forwards.json"), "utf8"), /2222/);
  });

  it("keeps the old set saved when nft refuses the new one", async () => {
    const stateDirectory = join(root, "state");
    const platform = createNodePlatform({ ...node(), stateDirectory });
    await platform.applyForwards([FORWARD]);
    output = new Error("Operation not permitted");
    await assert.rejects(platform.applyForwards([{ ...FORWARD, publicPort: 1 }]), /not permitted/);
    assert.match(await readFile(join(stateDirectory, "forwards.json"), "utf8"), /2222/);
    assert.match((await platform.observe())?.problems.join() ?? "", /cannot be put back: Operation not permitted/);
  });

  it("names a saved set that cannot be used", async () => {
    await mkdir(join(root, "state"));
    await writeFile(join(root, "state/forwards.json"), '[{"id":1}]');
    const seen = await createNodePlatform({ ...node(), stateDirectory: join(root, "state") }).observe();
    assert.match(seen?.problems.join() ?? "", /forwards\.json cannot be used: forwards\[0\]\.protocol/);
  });
});

describe("agent commands", () => {
  it("hands arguments over as they are, without a shell", async () => {
    const output = await runCommand({ line: ["/bin/echo", "$HOME; `id`", "*"], timeoutMs: 5000 });
    assert.equal(output, "$HOME; `id` *\n");
  });

  it("gives no input and a bare environment", async () => {
    const script = "cat; env | cut -d= -f1 | sort | tr '\\n' ' '";
    const output = await runCommand({ line: ["/bin/sh", "-c", script], timeoutMs: 5000 });
    assert.match(output, /^LC_ALL PATH (PWD )?(SHLVL )?(_ )?$/);
  });

  const failures: [string, Command, RegExp][] = [
    ["its own words", { line: ["/bin/sh", "-c", "echo no >&2; exit 3"], timeoutMs: 5000 }, /exit 3: no$/],
    ["its exit code", { line: ["/bin/sh", "-c", "exit 3"], timeoutMs: 5000 }, /exit code 3$/],
    ["that it is not there", { line: ["/no/such"], timeoutMs: 5000 }, /^Error: \/no\/such: there is no such program$/],
    ["that it took too long", { line: ["/bin/sleep", "9"], timeoutMs: 50 }, /stopped, not done within 0.05 s/],
  ];
  for (const [name, command, fault] of failures) {
    it(`fails with ${name}`, () => assert.rejects(runCommand(command), fault));
  }
});
