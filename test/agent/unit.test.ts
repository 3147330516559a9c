// The unit's view of the file system, in a mount namespace: what `qm unlock` and `pct unlock` write, and nothing else of the cluster's.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const UNIT = readFileSync(join(import.meta.dirname, "../../../agent/drover-agent.service"), "utf8");

/** Values of a setting that may stand in several lines. */
const settings = (name: string): string[] =>
  [...UNIT.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].flatMap(([, value = ""]) => value.split(" "));

const NODE_FILES = [
  "etc/pve/nodes/pve1/qemu-server/100.conf",
  "etc/pve/nodes/pve1/lxc/101.conf",
  "etc/pve/nodes/pve1/config",
  "etc/pve/nodes/pve2/qemu-server/200.conf",
  "etc/pve/priv/token.cfg",
  "etc/pve/user.cfg",
  "etc/pve/storage.cfg",
  "run/lock/qemu-server/lock-100.conf",
  "run/lock/lvm/V_pve",
  "var/lib/pve-cluster/config.db",
];

/** As systemd does it: everything read-only, then the exceptions, with symbolic links followed. */
const SANDBOX = `
set -e
root=$1; shift
mount --bind "$root" "$root"
for path in "$@"; do
  case $path in -*) path=\${path#-}; [ -e "$root$path" ] || continue ;; esac
  real=$(readlink -f "$root$path"); mount --bind "$real" "$real"
done
mount -o remount,bind,ro "$root"
cd "$root"
`;

const unlock = (lock: string, config: string): string =>
  `: > ${lock}; echo after > ${config}.tmp.1; mv -f ${config}.tmp.1 ${config}; grep -q after ${config}`;

const NONE = "none";

describe("agent unit", () => {
  let root: string;
  before(function () {
    try {
      execFileSync("unshare", ["--mount", "mount", "--bind", tmpdir(), tmpdir()], { stdio: "ignore" });
    } catch {
      process.stdout.write("    skipped: mount namespaces cannot be made here\n");
      this.skip();
    }
    root = mkdtempSync(join(tmpdir(), "drover-unit-"));
    for (const path of [...NODE_FILES, "run/lock/lxc/pve-config-101.lock"]) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), "before\n");
    }
    symlinkSync("nodes/pve1", join(root, "etc/pve/local"));
  });
  after(() => {
    if (root !== undefined) rmSync(root, { recursive: true });
  });

  /** @returns what a command writes to standard error inside the sandbox, or that it writes nothing */
  const inSandbox = (command: string): string => {
    const line = ["--mount", "sh", "-c", `${SANDBOX}\n${command}`, "sh", root, ...settings("ReadWritePaths")];
    try {
      execFileSync("unshare", line, { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
      return NONE;
    } catch (error) {
      return error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    }
  };

  it("lets the lock of a machine be taken and its configuration be replaced", () => {
    const written = inSandbox(unlock("run/lock/qemu-server/lock-100.conf", "etc/pve/nodes/pve1/qemu-server/100.conf"));
    assert.equal(written, NONE);
  });

  it("lets the lock of a container be taken and its configuration be replaced", () => {
    assert.equal(inSandbox(unlock("run/lock/lxc/pve-config-101.lock", "etc/pve/nodes/pve1/lxc/101.conf")), NONE);
  });

  const closed = NODE_FILES.filter((path) => !/(^run\/lock|pve1)\/(qemu-server|lxc)\//.test(path));
  for (const path of [...closed, "etc/pve/nodes/pve1/fresh", "etc/pve/fresh", "run/lock/fresh"]) {
    it(`keeps /${path} as it is`, () => assert.match(inSandbox(`echo after > ${path}`), /Read-only file system/));
  }

  it("makes the folders of locks before its sandbox needs them", () => {
    const made = settings("ExecStartPre").filter((word) => word.startsWith("/run/"));
    const needed = settings("ReadWritePaths").filter((path) => !path.startsWith("-"));
    assert.deepEqual(made, needed);
  });
});
