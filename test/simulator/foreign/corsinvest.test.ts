// Runs the client of Corsinvest against simulated hosts: its reads, and the whole life of a VM and of a container.
import assert from "node:assert/strict";
import corsinvest, { type Result } from "@corsinvest/cv4pve-api-javascript";
import type { Release } from "../../../simulator/version.js";
import { until } from "../../support/until.js";
import type { ForeignStage } from "./stage.js";
import { rootPassword, startStage, template, tokenId, tokenSecret } from "./stage.js";

const vms = "/nodes/pvea/qemu";
const containers = "/nodes/pvea/lxc";

/** Data of an answer that has to be a success. */
function dataOf(result: Result): unknown {
  assert.ok(result.isSuccessStatusCode, `${result.requestResource}: ${result.statusCode} ${result.reasonPhrase}`);
  const { data }: { data: unknown } = Object.assign({ data: undefined }, result.response);
  return data;
}

for (const release of ["7.4", "9.2"] as const satisfies readonly Release[])
  describe(`simulator: the client cv4pve-api-javascript on ${release}`, () => {
    let stage: ForeignStage;
    let client: InstanceType<typeof corsinvest.PveClient>;

    before(async () => {
      stage = await startStage(release);
      client = new corsinvest.PveClient(stage.address, stage.port);
      client.apiToken = `${tokenId}=${tokenSecret}`;
    });
    after(() => stage.host.close());

    const run = async (request: Promise<Result>): Promise<void> => {
      const result = await request;
      const upid = dataOf(result);
      assert.ok(typeof upid === "string" && upid.startsWith("UPID:pvea:"), String(upid));
      await until(`${upid} has ended`, async () => !(await client.taskIsRunning(upid)));
      assert.equal(await client.getExitStatusTask(upid), "OK", result.requestResource);
    };
    const statusOf = async (guest: string): Promise<unknown> => {
      const { status }: { status?: unknown } = Object(dataOf(await client.get(`${guest}/status/current`)));
      return status;
    };
    const configOf = async (guest: string): Promise<Record<string, unknown>> =>
      Object(dataOf(await client.get(`${guest}/config`)));

    it("logs in with a password", async () => {
      const other = new corsinvest.PveClient(stage.address, stage.port);
      assert.equal(await other.login("root", rootPassword, "pam"), true);
      assert.deepEqual(dataOf(await other.get("/pools")), []);
    });

    it("reads the host, its cluster and its access", async () => {
      const node = client.nodes.get("pvea");
      const { cluster, access } = client;
      const answers: Result[] = [
        await client.version.version(),
        await client.nodes.index(),
        await cluster.status.getStatus(),
        await cluster.replication.index(),
        await cluster.ha.index(),
        await cluster.ha.status.current.status(),
        await cluster.metrics.server.serverIndex(),
        await cluster.options.getOptions(),
        await cluster.backup.index(),
        await cluster.firewall.rules.getRules(),
        await node.status.status(),
        await node.subscription.get(),
        await client.get("/nodes/pvea/capabilities/qemu/machines"),
        await client.get("/nodes/pvea/certificates/info"),
        await node.time.time(),
        await node.hosts.getEtcHosts(),
        await node.dns.dns(),
        await access.groups.index(),
        await access.domains.index(),
        await access.tfa.listTfa(),
        await access.acl.readAcl(),
        // The types of these want every parameter.
        await client.get("/storage"),
        await client.get("/pools"),
        await client.get("/access/users"),
        await client.get("/cluster/resources"),
        await client.get("/cluster/ha/resources"),
        await client.get("/nodes/pvea/capabilities/qemu/cpu"),
        await client.get("/nodes/pvea/config"),
        await client.get("/nodes/pvea/network"),
        await client.get("/nodes/pvea/replication"),
        await client.get("/nodes/pvea/storage"),
        await client.get("/nodes/pvea/tasks", { limit: 5 }),
      ];
      for (const answer of answers) assert.notEqual(dataOf(answer), undefined, answer.requestResource);
    });

    it("is refused what a release does not have, and what is no pool", async () => {
      const mapping = await client.cluster.mapping.index();
      const pool = await client.get("/pools", { poolid: "gone" });
      if (release === "7.4") {
        assert.deepEqual(
          [mapping.statusCode, mapping.reasonPhrase],
          [501, "Method 'GET /cluster/mapping' not implemented"],
        );
        assert.deepEqual([pool.statusCode, pool.responseInError], [400, true]);
      } else {
        assert.equal(mapping.statusCode, 200);
        assert.deepEqual([pool.statusCode, pool.reasonPhrase], [500, "pool 'gone' does not exist"]);
      }
    });

    it("leads a VM through its life", async () => {
      const guest = `${vms}/100`;
      await run(
        client.create(vms, {
          vmid: 100,
          name: "web",
          memory: 512,
          cores: 2,
          scsi0: "tank:1",
          net0: "virtio,bridge=vmbr0",
        }),
      );
      await run(client.create(`${guest}/status/start`));
      assert.equal(await statusOf(guest), "running");
      await run(client.create(`${guest}/snapshot`, { snapname: "before", vmstate: true }));
      dataOf(await client.set(`${guest}/config`, { description: "changed", onboot: true }));
      assert.equal((await configOf(guest)).description, "changed");
      assert.equal((await configOf(guest)).onboot, 1);
      const resized = dataOf(await client.set(`${guest}/resize`, { disk: "scsi0", size: "+1G" }));
      assert.equal(release === "7.4" ? resized : typeof resized, release === "7.4" ? null : "string");
      await until("the disk has grown", async () => String((await configOf(guest)).scsi0).includes("size=2G"));
      await run(client.create(`${guest}/clone`, { newid: 101, name: "copy", full: true }));
      assert.equal((await configOf(`${vms}/101`)).name, "copy");
      await run(client.create(`${guest}/status/stop`));
      assert.equal(await statusOf(guest), "stopped");
      await run(client.delete(guest, { purge: true }));
      await run(client.delete(`${vms}/101`));
      assert.deepEqual(dataOf(await client.get(vms)), []);
    });

    it("leads a container through its life", async () => {
      const guest = `${containers}/200`;
      await run(
        client.create(containers, {
          vmid: 200,
          ostemplate: template,
          hostname: "ct",
          memory: 256,
          rootfs: "tank:1",
          unprivileged: true,
          net0: "name=eth0,bridge=vmbr0,ip=dhcp",
        }),
      );
      await run(client.create(`${guest}/status/start`));
      assert.equal(await statusOf(guest), "running");
      await run(client.create(`${guest}/snapshot`, { snapname: "before" }));
      dataOf(await client.set(`${guest}/config`, { memory: 384 }));
      assert.equal((await configOf(guest)).memory, 384);
      await run(client.set(`${guest}/resize`, { disk: "rootfs", size: "+1G" }));
      assert.match(String((await configOf(guest)).rootfs), /size=2G/);
      await run(client.create(`${guest}/status/stop`));
      await run(client.create(`${guest}/clone`, { newid: 201, hostname: "copy", full: true, snapname: "before" }));
      assert.equal((await configOf(`${containers}/201`)).hostname, "copy");
      await run(client.delete(guest, { purge: true }));
      await run(client.delete(`${containers}/201`));
      assert.deepEqual(dataOf(await client.nodes.get("pvea").lxc.vmlist()), []);
    });
  });
