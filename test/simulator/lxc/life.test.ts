// Tests the life of containers: create and its refusals, configure, resize, power, clone, destroy.
import assert from "node:assert/strict";
import { Asker, ostemplate, standalone } from "../asking.js";

const container = "/nodes/pvea/lxc/200";

async function withContainer(parameters: Record<string, string> = {}): Promise<Asker> {
  const asker = new Asker(standalone());
  await asker.makeContainer(200, parameters);
  return asker;
}

describe("simulator: LXC life", () => {
  it("MUST unpack the template and fill in what was not given", async () => {
    const asker = await withContainer({ features: "nesting=1", tags: "prod;App" });
    const config = await asker.record(`GET ${container}/config`);
    assert.match(String(config.net0), /^name=eth0,bridge=vmbr0,hwaddr=BC:24:11(?::[0-9A-F]{2}){3},ip=dhcp,type=veth$/);
    assert.deepEqual(
      [config.rootfs, config.arch, config.ostype, config.swap, config.memory, config.unprivileged, config.tags],
      ["local:200/vm-200-disk-0.raw,size=1G", "amd64", "debian", 512, 256, 1, "app;prod"],
    );
    const [row] = await asker.rows("GET /nodes/pvea/storage/local/content", { vmid: "200" });
    assert.equal(row?.content, "rootdir");
  });

  it("MUST start at the end when asked to", async () => {
    const asker = await withContainer({ start: "1" });
    await Promise.all(asker.platform.tasks.active().map((task) => asker.platform.tasks.settled(task.upid)));
    assert.equal((await asker.record(`GET ${container}/status/current`)).status, "running");
  });

  const refusals: {
    says: string;
    parameters: Record<string, string>;
    status: number;
    message?: string;
    errors?: Record<string, string>;
  }[] = [
    {
      says: "an unknown storage",
      parameters: { rootfs: "nosuch:1" },
      status: 500,
      message: "storage 'nosuch' does not exist",
    },
    {
      says: "a bad key",
      parameters: { "ssh-public-keys": "not a key" },
      status: 500,
      message: "SSH public key validation error",
    },
    {
      says: "a feature that only the superuser may set",
      parameters: { features: "keyctl=1" },
      status: 403,
      message: "Permission check failed (changing feature flags (except nesting) is only allowed for root@pam)",
    },
    {
      says: "features of a privileged container",
      parameters: { features: "nesting=1", unprivileged: "0" },
      status: 403,
      message: "Permission check failed (changing feature flags for privileged container is only allowed for root@pam)",
    },
    {
      says: "a directory of the host",
      parameters: { rootfs: "local:1", mp0: "/srv,mp=/data" },
      status: 403,
      message: "Permission check failed (mount point type bind is only allowed for root@pam)",
    },
    {
      says: "a device",
      parameters: { dev0: "/dev/ttyUSB0" },
      status: 403,
      message: "Permission check failed (configuring device passthrough is only allowed for root@pam)",
    },
    {
      says: "mount points without a root volume",
      parameters: { mp0: "local:1,mp=/data" },
      status: 500,
      message: "mount points configured, but 'rootfs' not set - aborting",
    },
    {
      says: "an ISO image as template",
      parameters: { ostemplate: "local:iso/rescue.iso" },
      status: 500,
      message: "unable to use volume local:iso/rescue.iso - content type needs to be 'vztmpl'",
    },
    {
      says: "a root volume that no storage would name so",
      parameters: { rootfs: "local:big:" },
      status: 500,
      message: "unable to parse directory volume name 'big:'",
    },
    {
      says: "a network card without a name",
      parameters: { net0: "bridge=vmbr0" },
      status: 400,
      errors: { net0: "invalid format - format error\nnet0.name: property is missing and it is not optional\n" },
    },
  ];
  for (const { says, parameters, status, message, errors } of refusals)
    it(`MUST refuse ${says}`, async () => {
      const asker = new Asker(standalone());
      const reply = await asker.ask("POST /nodes/pvea/lxc", {
        vmid: "299",
        ostemplate,
        unprivileged: "1",
        ...parameters,
      });
      assert.equal(reply.status, status);
      if (message !== undefined) assert.equal(reply.message, message);
      if (errors !== undefined) assert.deepEqual(reply.errors, errors);
      assert.equal(asker.platform.state.guests.size, 0);
    });

  it("MUST notice a missing template only in the task, and clean up", async () => {
    const asker = new Asker(standalone());
    const { exit, log } = await asker.run("POST /nodes/pvea/lxc", {
      vmid: "299",
      ostemplate: "local:vztmpl/nosuch.tar.gz",
      rootfs: "local:1",
    });
    assert.equal(exit, "unable to create CT 299 - volume 'local:vztmpl/nosuch.tar.gz' does not exist");
    assert.equal(
      log[0],
      "Formatting '/var/lib/vz/images/299/vm-299-disk-0.raw', fmt=raw size=1073741824 preallocation=off",
    );
    assert.equal(asker.platform.state.guests.size, 0);
    assert.deepEqual(
      asker.platform.state.volumes.filter((volume) => volume.vmid === 299),
      [],
    );
  });

  it("MUST make privileged containers by default before 9, unprivileged ones later", async () => {
    for (const [release, unprivileged] of [
      ["8.4", undefined],
      ["9.2", 1],
    ] as const) {
      const asker = new Asker(standalone({ release }));
      await asker.run("POST /nodes/pvea/lxc", { vmid: "200", ostemplate });
      assert.equal((await asker.record(`GET ${container}/config`)).unprivileged, unprivileged, release);
    }
  });

  it("MUST give a network card a new address when none is sent", async () => {
    const asker = await withContainer();
    const { net0 } = await asker.record(`GET ${container}/config`);
    await asker.data(`PUT ${container}/config`, {
      net0: "name=eth0,bridge=vmbr1,ip=10.0.0.9/24,gw=10.0.0.1",
      description: "note",
    });
    const config = await asker.record(`GET ${container}/config`);
    assert.match(String(config.net0), /^name=eth0,bridge=vmbr1,gw=10\.0\.0\.1,hwaddr=BC:24:11/);
    assert.notEqual(config.net0, net0);
    assert.equal(config.description, "note\n");
  });

  it("MUST let features of a running container wait for its next start", async () => {
    const asker = await withContainer();
    await asker.run(`POST ${container}/status/start`);
    await asker.as("root@pam").data(`PUT ${container}/config`, { features: "keyctl=1", memory: "512" });
    assert.equal((await asker.record(`GET ${container}/config`, { current: "1" })).features, undefined);
    assert.equal((await asker.record(`GET ${container}/config`, { current: "1" })).memory, 512);
    await asker.run(`POST ${container}/status/reboot`);
    assert.equal((await asker.record(`GET ${container}/config`, { current: "1" })).features, "keyctl=1");
  });

  it("MUST have no way to skip a lock and no POST config", async () => {
    const asker = await withContainer();
    assert.equal((await asker.ask(`PUT ${container}/config`, { onboot: "1", skiplock: "1" })).status, 400);
    assert.equal(
      (await asker.ask(`POST ${container}/config`, { onboot: "1" })).message,
      `Method 'POST ${container}/config' not implemented`,
    );
  });

  it("MUST grow volumes in a task and refuse anything else at once", async () => {
    const asker = await withContainer();
    const { exit } = await asker.run(`PUT ${container}/resize`, { disk: "rootfs", size: "+1G" });
    assert.equal(exit, "OK");
    assert.equal((await asker.record(`GET ${container}/config`)).rootfs, "local:200/vm-200-disk-0.raw,size=2G");
    assert.equal(
      (await asker.ask(`PUT ${container}/resize`, { disk: "rootfs", size: "1G" })).message,
      "unable to shrink disk size",
    );
    assert.equal(
      (await asker.ask(`PUT ${container}/resize`, { disk: "rootfs", size: "2G" })).message,
      "disk is already at specified size",
    );
  });

  it("MUST answer power actions by the state that the container is in", async () => {
    const asker = await withContainer();
    const refused = async (action: string): Promise<string | undefined> =>
      (await asker.ask(`POST ${container}/status/${action}`)).message;
    for (const action of ["stop", "shutdown", "suspend"])
      assert.equal(await refused(action), "CT 200 not running", action);
    assert.equal(await refused("reboot"), "VM 200 not running");
    assert.equal((await asker.run(`POST ${container}/status/start`)).exit, "OK");
    assert.equal(await refused("start"), "CT 200 already running");
    assert.equal((await asker.ask(`DELETE ${container}`)).message, "unable to destroy CT 200 - container is running");
    const [loopback, card] = await asker.rows(`GET ${container}/interfaces`);
    assert.deepEqual([loopback?.name, card?.name], ["lo", "eth0"]);
    assert.equal((await asker.run(`POST ${container}/status/shutdown`)).exit, "OK");
    assert.equal(await asker.data(`GET ${container}/interfaces`), null);
  });

  it("MUST stop a running container before destroying it by force", async () => {
    const asker = await withContainer();
    await asker.run(`POST ${container}/status/start`);
    const { exit } = await asker.run(`DELETE ${container}`, { force: "1", purge: "1" });
    assert.equal(exit, "OK");
    assert.deepEqual(
      asker.platform.state.volumes.filter((volume) => volume.vmid === 200),
      [],
    );
  });

  it("MUST clone with a new name and addresses, locking the source meanwhile", async () => {
    const asker = await withContainer();
    const upid = await asker.data(`POST ${container}/clone`, { newid: "201", hostname: "copy", full: "1" });
    assert.equal((await asker.record(`GET ${container}/config`)).lock, "disk");
    await asker.platform.tasks.settled(String(upid));
    assert.equal((await asker.record(`GET ${container}/config`)).lock, undefined);
    const copy = await asker.record("GET /nodes/pvea/lxc/201/config");
    assert.deepEqual(
      [copy.hostname, copy.rootfs, copy.lock],
      ["copy", "local:201/vm-201-disk-0.raw,size=1G", undefined],
    );
  });

  it("MUST list container numbers as text on 7.4", async () => {
    const asker = new Asker(standalone({ release: "7.4" }));
    await asker.makeContainer(200);
    assert.equal((await asker.rows("GET /nodes/pvea/lxc"))[0]?.vmid, "200");
  });

  it("MUST NOT start a container on a bridge that is not there", async () => {
    const asker = await withContainer({ net0: "name=eth0,bridge=vmbr9,ip=dhcp" });
    const started = await asker.run("POST /nodes/pvea/lxc/200/status/start");
    assert.equal(started.exit, "startup for container '200' failed");
    assert.equal(started.log[0], "bridge 'vmbr9' does not exist");
    assert.equal((await asker.record("GET /nodes/pvea/lxc/200/status/current")).status, "stopped");
  });

  it("MUST apply what waits when a container is stopped", async () => {
    const asker = new Asker(standalone());
    await asker.makeContainer(100);
    await asker.run("POST /nodes/pvea/lxc/100/status/start");
    await asker.data("PUT /nodes/pvea/lxc/100/config", { tty: "3" });
    const pending = async (): Promise<unknown> =>
      (await asker.rows("GET /nodes/pvea/lxc/100/pending")).find(({ key }) => key === "tty");
    assert.deepEqual(await pending(), { key: "tty", pending: 3 });
    await asker.run("POST /nodes/pvea/lxc/100/status/stop");
    assert.deepEqual(await pending(), { key: "tty", value: 3 });
  });

  it("MUST notice that a container to be snapshot is missing only in the task", async () => {
    const { exit } = await new Asker(standalone()).run("POST /nodes/pvea/lxc/199/snapshot", { snapname: "one" });
    assert.equal(exit, "Configuration file 'nodes/pvea/lxc/199.conf' does not exist");
  });
});
