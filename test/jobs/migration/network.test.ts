// Moves of guests with addresses of IP zones and port forwards: what they have afterwards, on record and on the platform.
import assert from "node:assert/strict";
import { z } from "zod";
import { evacuationCandidates } from "../../../src/actions/run/evacuationCandidates.js";
import { createIpZone } from "../../../src/actions/catalogue/ipZone.js";
import { createPortForward } from "../../../src/actions/host/portForward.js";
import { contextFor } from "../../support/viewers.js";
import {
  beat,
  guestOn,
  migrationRow,
  moveInput,
  openMoveStage,
  placeAndSync,
  plan,
  queueMove,
  run,
  type MoveStage,
} from "./stage.js";

const FORWARDS = z.object({ forwards: z.array(z.object({ public_port: z.number() })) });

const zone = (hostId: number, cidr: string, gateway: string, name = "lan") => ({
  hostId,
  name,
  cidr,
  gateway,
  bridge: "vmbr0",
});

describe("a move of a guest with an address and port forwards", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
    const context = await contextFor(stage.services);
    await createIpZone(context, zone(stage.source.hostId, "10.0.0.0/24", "10.0.0.1"));
    await createIpZone(context, zone(stage.target.hostId, "10.1.0.0/24", "10.1.0.1"));
    await createIpZone(context, zone(stage.source.hostId, "10.2.0.0/24", "10.2.0.1", "shared"));
    await createIpZone(context, zone(stage.target.hostId, "10.2.0.0/24", "10.2.0.254", "shared"));
  });
  after(() => stage.close());

  const container = (vmid: number, address: string) =>
    placeAndSync(stage, {
      type: "lxc",
      vmid,
      status: "running",
      config: {
        net0: `name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:${vmid - 100},ip=${address}/24,gw=10.0.0.1,type=veth`,
      },
    });

  const addressesOf = async (guestId: number): Promise<unknown[]> => {
    const { rows } = await stage.services.pool.query<{ address: string; host: number }>(
      `select host(a.address) as address, z.host_id as host from ip_address a join ip_zone z on z.id = a.zone_id where a.guest_id = $1`,
      [guestId],
    );
    return rows;
  };

  it("gives it the next free address of the target's zone, and the forwards a free port", async () => {
    const context = await contextFor(stage.services);
    const neighbour = await container(120, "10.0.0.20");
    await run(stage, (await queueMove(stage, neighbour)).jobId);
    await createPortForward(context, { guestId: neighbour, protocol: "tcp", publicPort: 2222, guestPort: 22 });
    const guestId = await container(121, "10.0.0.21");
    await createPortForward(context, { guestId, protocol: "tcp", publicPort: 2222, guestPort: 22 });
    await createPortForward(context, { guestId, protocol: "udp", publicPort: 5353, guestPort: 53 });
    const seen = await plan(stage, moveInput(stage, guestId));
    assert.deepEqual(seen.problems, []);
    assert.equal(seen.ipPlan.kind, "reassign");
    assert.equal(seen.ipPlan.newAddress, "10.1.0.3");
    assert.deepEqual(
      seen.portForwards.map(({ publicPort, newPublicPort, dropped }) => [publicPort, newPublicPort, dropped]),
      [
        [2222, 2223, false],
        [5353, 5353, false],
      ],
    );
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    assert.equal((await migrationRow(stage, migrationId))["status"], "done");
    assert.deepEqual(await addressesOf(guestId), [{ address: "10.1.0.3", host: stage.target.hostId }]);
    const net0 = guestOn(stage.target, 121)?.config["net0"] ?? "";
    assert.match(net0, /ip=10\.1\.0\.3\/24/);
    assert.match(net0, /gw=10\.1\.0\.1(?:,|$)/);
    assert.match(net0, /hwaddr=BC:24:11:00:00:21/);
    const { rows } = await stage.services.pool.query(
      `select n.name as node, f.public_port as port, host(f.guest_address) as address from port_forward f
       join node n on n.id = f.node_id where f.guest_id = $1 order by port`,
      [guestId],
    );
    assert.deepEqual(rows, [
      { node: "pveb", port: 2223, address: "10.1.0.3" },
      { node: "pveb", port: 5353, address: "10.1.0.3" },
    ]);
    assert.deepEqual(portsOrdered("pvea"), []);
    assert.deepEqual(portsOrdered("pveb"), [2222, 2223, 5353]);
  });

  /** The public ports that the agent of a node was told last. */
  const portsOrdered = (node: string): number[] => {
    const order = stage.asked.findLast((job) => job.node === node && job.kind === "apply_port_forwards");
    const { forwards } = FORWARDS.parse(order?.payload);
    return forwards.map(({ public_port: port }) => port).toSorted((one, other) => one - other);
  };

  it("keeps an address that the target has too, with the target's gateway", async () => {
    const guestId = await container(122, "10.2.0.22");
    const seen = await plan(stage, moveInput(stage, guestId));
    assert.equal(seen.ipPlan.kind, "keep");
    await run(stage, (await queueMove(stage, guestId)).jobId);
    assert.deepEqual(await addressesOf(guestId), [{ address: "10.2.0.22", host: stage.target.hostId }]);
    assert.match(guestOn(stage.target, 122)?.config["net0"] ?? "", /gw=10\.2\.0\.254(?:,|$)/);
  });

  it("is done with warnings when the address cannot be set, and has re-pointed the rest", async () => {
    const guestId = await container(123, "10.0.0.23");
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await fetch(`${stage.target.host.control}/faults`, {
      method: "POST",
      body: JSON.stringify({ method: "PUT", path: "/lxc/123/config$", effect: "status", status: 500, message: "no" }),
    });
    await run(stage, jobId);
    assert.equal((await migrationRow(stage, migrationId))["status"], "done_with_warnings");
    assert.equal((await addressesOf(guestId)).length, 1);
    assert.equal(guestOn(stage.source, 123)?.config["tags"], "drover-migrated");
  });

  it("shows each guest of an evacuation an address of its own", async () => {
    const guestIds = [await container(130, "10.0.0.30"), await container(131, "10.0.0.31")];
    const route = { hostId: stage.source.hostId, targetHostId: stage.target.hostId };
    await beat(stage);
    const candidates = await evacuationCandidates(await contextFor(stage.services), route);
    const addresses = guestIds.map((id) => candidates.find(({ guestId }) => guestId === id)?.ipPlan.newAddress);
    for (const address of addresses) assert.match(address ?? "", /^10\.1\.0\./);
    assert.equal(new Set(addresses).size, guestIds.length);
    assert.ok(candidates.every(({ startable }) => startable));
  });

  it("gives the forwards up when the operator chose so", async () => {
    const context = await contextFor(stage.services);
    const guestId = await container(124, "10.0.0.24");
    await createPortForward(context, { guestId, protocol: "tcp", publicPort: 8080, guestPort: 80 });
    await run(stage, (await queueMove(stage, guestId, { dropPortForwards: true })).jobId);
    const { rowCount } = await stage.services.pool.query(`select 1 from port_forward where guest_id = $1`, [guestId]);
    assert.equal(rowCount, 0);
  });
});
