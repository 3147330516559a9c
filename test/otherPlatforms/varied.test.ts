// The same hosts, whose every answer is written differently: what is recorded and how jobs end must not differ.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { deleteGuest } from "../../src/actions/guest/deleteGuest.js";
import { powerGuest } from "../../src/actions/guest/power.js";
import { reinstallGuest } from "../../src/actions/guest/reinstallGuest.js";
import { startEvacuation } from "../../src/actions/run/evacuation.js";
import type { GuestType, PowerAction } from "../../src/core/enums.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import {
  CONTAINER_TEMPLATE,
  containerRequest,
  holdings,
  jobRow,
  machineRequest,
  openStage,
  queueGuest,
  sync,
  type Stage,
} from "../jobs/creation.js";
import {
  beat,
  guestOn,
  leftovers,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  type MoveStage,
} from "../jobs/migration/stage.js";
import { executorFor } from "../jobs/killing.js";
import { eventually } from "../support/eventually.js";
import { connectHost, createPlatformServices, startTestHost } from "../support/platform.js";
import { fixedClock, type TestServices } from "../support/services.js";
import { contextFor } from "../support/viewers.js";
import { Cleanup } from "../hypervisor/support/driver.js";
import { dice, pick } from "./dice.js";
import { Detours, type ProxyOptions } from "./varyingProxy.js";

/** `VARIATION_SEEDS=17,18` tries others. */
const SEEDS = (process.env["VARIATION_SEEDS"] ?? "1").split(",").map(Number);

/** All rows of a host, without what differs between two records of the same host. */
async function inventory({ pool }: TestServices, hostId: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ kind: string; row: Record<string, unknown> }>(
    `select 'host' as kind, to_jsonb(h) - '{id,name,hostname,secret_encrypted,tls_fingerprint}'::text[] as row from host h where id = $1
     union all select 'node', to_jsonb(n) - '{id,host_id}'::text[] from node n where host_id = $1
     union all select 'storage', to_jsonb(s) - '{id,host_id,node_id}'::text[] || jsonb_build_object('node', n.name)
       from storage s join node n on n.id = s.node_id where n.host_id = $1
     union all select 'network', to_jsonb(b) - '{id,host_id,node_id}'::text[] || jsonb_build_object('node', n.name)
       from network b join node n on n.id = b.node_id where n.host_id = $1
     union all select 'file', to_jsonb(f) - '{id,host_id,node_id}'::text[] || jsonb_build_object('node', n.name)
       from node_file f join node n on n.id = f.node_id where n.host_id = $1
     union all select 'guest', to_jsonb(g) - '{id,host_id,node_id}'::text[] || jsonb_build_object('node', n.name)
       from guest g left join node n on n.id = g.node_id where g.host_id = $1`,
    [hostId],
  );
  const texts = rows.map(({ kind, row }) => {
    const lasting = Object.entries(row).filter(([key]) => !/_(?:at|since)$/.test(key));
    return `${kind} ${JSON.stringify(Object.fromEntries(lasting))}`;
  });
  return texts.toSorted();
}

/** How a job ended. */
const endOf = (job: Record<string, unknown>): unknown => [job["status"], job["error"]];

for (const seed of SEEDS) {
  describe(`answers varied with seed ${seed}`, function () {
    this.timeout(180_000);
    const cleanup = new Cleanup();
    afterEach(() => cleanup.run());

    const detours = (options: ProxyOptions): Detours => {
      const made = new Detours(options);
      cleanup.add(() => made.close());
      return made;
    };

    const release = pick(dice(seed), ["7.4", "8.4", "9.2"] as const);
    it(`leave the inventory of a ${release} cluster as it is`, async () => {
      const nodes = ["PveA1", "2ndNode", "pve-3"];
      const host = await startTestHost({ name: "PveA1", nodes, release });
      cleanup.add(() => host.close());
      const plan = { node: "2ndNode", status: "running", memory: 128, cores: 2, diskGb: 1, snapshots: [] } as const;
      placeGuest(host.platform, {
        ...plan,
        type: "qemu",
        vmid: 100,
        name: "100",
        config: { tags: "7;web", onboot: 1 },
      });
      placeGuest(host.platform, { ...plan, type: "lxc", vmid: 101, name: "box", config: { onboot: 0 } });
      placeGuest(host.platform, { ...plan, type: "lxc", vmid: 102, name: "away", node: "pve-3", config: {} });
      const memory = new Map();
      const plain = detours({ seed: null, memory });
      const varying = detours({ seed, memory });
      // Averages are of the last minutes: both ways are looked at in the same one.
      const clock = fixedClock(new Date());
      // One service would not connect the same machines twice.
      const unvaried = await createPlatformServices({ clock }, (connection) => plain.reach(connection));
      const varied = await createPlatformServices({ clock }, (connection) => varying.reach(connection));
      for (const services of [unvaried, varied]) {
        cleanup.add(() => services.close());
        await connectHost(services, host);
      }
      const first = await inventory(unvaried, 1);
      assert.equal(first.filter((row) => row.startsWith("guest ")).length, 3);
      assert.deepEqual(await inventory(varied, 1), first);
      const node = host.platform.state.nodes.get("pve-3");
      assert.ok(node !== undefined);
      node.online = false;
      memory.clear();
      varying.setFaulty(true);
      await syncHost(unvaried, 1, { thorough: true });
      await syncHost(varied, 1, { thorough: true });
      const second = await inventory(unvaried, 1);
      assert.notDeepEqual(second, first);
      assert.deepEqual(await inventory(varied, 1), second);
    });

    for (const type of ["qemu", "lxc"] as const) {
      const forgetful = (seed + type.length) % 2 === 0;
      const host = forgetful ? "a host that forgets tasks as soon as they have ended" : "a host";
      it(`let a ${type} guest be created, switched, reinstalled and deleted on ${host}`, async () => {
        const way = detours({ seed, forgetful });
        const stage = await openStage((connection) => way.reach(connection));
        cleanup.add(() => stage.close());
        await live(stage, way, type);
        assert.equal(await holdings(stage), 0);
      });
    }

    it("let a host be evacuated", async () => {
      const way = detours({ seed });
      const stage = await openMoveStage({ reach: (connection) => way.reach(connection) });
      cleanup.add(() => stage.close());
      const guests = [
        { type: "qemu", vmid: 101, status: "running" },
        { type: "lxc", vmid: 103, status: "running" },
      ] as const;
      const guestIds = [];
      for (const guest of guests) guestIds.push(await placeAndSync(stage, guest));
      way.setFaulty(true);
      assert.deepEqual(await evacuate(stage, guestIds), ["101 done done", "103 done done"]);
      for (const { vmid } of guests) {
        assert.notEqual(guestOn(stage.target, vmid)?.runtime ?? null, null, `${vmid} runs`);
        assert.equal(guestOn(stage.source, vmid)?.config["tags"], "drover-migrated");
      }
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    });
  });
}

/** A guest's whole life: what it does, and how its jobs end. */
async function live(stage: Stage, way: Detours, type: GuestType): Promise<void> {
  const vmid = type === "qemu" ? 120 : 130;
  const created = await queueGuest(stage, type === "qemu" ? machineRequest(stage) : containerRequest());
  await ends(stage, way, created.jobId);
  await sync(stage);
  assert.equal(await statusOf(stage, vmid), "running");
  const config = stage.host.platform.state.guests.get(vmid)?.config ?? {};
  assert.match(String(config[type === "qemu" ? "scsi0" : "rootfs"]), type === "qemu" ? /size=4G/ : /size=2G/);
  for (const [action, status] of type === "qemu" ? MACHINE_ORDERS : CONTAINER_ORDERS) {
    await order(stage, { type, vmid, action });
    assert.equal(await statusOf(stage, vmid), status, action);
  }
  const context = await contextFor(stage.services);
  const address = { hostId: stage.hostId, type, vmid };
  const osTemplate = type === "qemu" ? `tpl:${stage.templateId}` : CONTAINER_TEMPLATE;
  const { jobId } = await reinstallGuest(context, address, { osTemplate, password: "correct horse" });
  await ends(stage, way, jobId);
  await sync(stage);
  assert.equal(await statusOf(stage, vmid), "running");
  await ends(stage, way, (await deleteGuest(context, address)).jobId);
  assert.equal(stage.host.platform.state.guests.has(vmid), false);
  await sync(stage);
  assert.equal(await statusOf(stage, vmid), undefined);
}

/** What is ordered, and what the guest then is. */
const MACHINE_ORDERS: readonly (readonly [PowerAction, string])[] = [
  ["suspend", "paused"],
  ["resume", "running"],
  ["stop", "stopped"],
  ["start", "running"],
  ["stop", "stopped"],
];
const CONTAINER_ORDERS: readonly (readonly [PowerAction, string])[] = [
  ["shutdown", "stopped"],
  ["start", "running"],
  ["stop", "stopped"],
];

/** Runs a job, which must end well, while half of the questions have to be repeated. */
async function ends(stage: Stage, way: Detours, jobId: number): Promise<void> {
  way.setFaulty(true);
  await runJob(executorFor(stage.services, "varied"), jobId);
  way.setFaulty(false);
  assert.deepEqual(endOf(await jobRow(stage, jobId)), ["done", null]);
}

/** Orders it, and waits until the guest's task has ended. */
async function order(
  stage: Stage,
  { type, vmid, action }: { readonly type: GuestType; readonly vmid: number; readonly action: PowerAction },
): Promise<void> {
  const context = await contextFor(stage.services);
  await powerGuest(context, { hostId: stage.hostId, type, vmid, node: "pvea", action });
  const host = await stage.services.hypervisors.of(stage.hostId);
  await eventually(async () => assert.deepEqual(await host.activeTasks("pvea", vmid), []));
  await sync(stage);
}

/** Moves these guests of the source away. @returns what became of each */
async function evacuate(stage: MoveStage, guestIds: readonly number[]): Promise<string[]> {
  const { services, source } = stage;
  const { pool } = services;
  await beat(stage);
  const runId = await startEvacuation(await contextFor(services), { hostId: source.hostId, guestIds });
  const { rows: runs } = await pool.query<{ id: number }>(`select job_id as id from run where id = $1`, [runId]);
  const executor = executorFor(services, "varied");
  const moving = setInterval(() => {
    void pool
      .query<{ id: number }>(`select id from job where kind = 'migration' and status = 'queued'`)
      .then(({ rows }) => Promise.all(rows.map(({ id }) => runJob(executor, id))));
  }, 25);
  await runJob(executor, runs[0]?.id ?? 0).finally(() => clearInterval(moving));
  const { rows: items } = await pool.query<{ text: string }>(
    `select concat_ws(' ', i.vmid, i.status, i.reason, m.status) as text
     from run_item i left join migration m on m.id = i.migration_id where i.run_id = $1 order by i.vmid`,
    [runId],
  );
  return items.map(({ text }) => text);
}

async function statusOf({ services }: Stage, vmid: number): Promise<string | undefined> {
  const { rows } = await services.pool.query<{ status: string }>(
    `select status from guest where vmid = $1 and gone_at is null`,
    [vmid],
  );
  return rows[0]?.status;
}
