// The loop over all hosts: a dead one delays nobody, processes share the turns, and it ends cleanly.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { HostConnection } from "../../src/hypervisor/connection.js";
import { startInventory } from "../../src/inventory/loop.js";
import { pruneInventory } from "../../src/inventory/prune.js";
import { HandTime } from "../support/handTime.js";
import { fromNow, plant } from "../support/rows.js";
import { insertHost, Site, type ConnectedHost } from "./support/site.js";
import { until } from "../support/until.js";

const SYNC_SECONDS = 0.2;
const CALL_MS = 6000;

/** A minute before so many hours ago. */
const longAgo = (hours: number) => fromNow(-3600 * hours - 60);

function silentConnection(server: Server): HostConnection {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const credential = { kind: "token", tokenId: "panel", secret: "secret" } as const;
  return {
    hostId: 0,
    name: "pvea",
    hostname: "127.0.0.1",
    port: address.port,
    user: "root@pam",
    credential,
    tlsFingerprint: undefined,
  };
}

describe("the inventory loop", () => {
  let site: Site;
  /** Stands still, and with it every limit of a call. */
  let time: HandTime;
  beforeEach(async () => {
    time = new HandTime();
    const settings = {
      connectMs: 120_000,
      callMs: CALL_MS,
      repeatAfterMs: [],
      firstProbeMs: 0,
      longestProbeMs: 0,
      stopwatch: time,
    };
    site = await Site.open(settings, { config: { syncSeconds: SYNC_SECONDS } });
  });
  afterEach(() => site.close());

  const start = (): void => {
    const loop = startInventory(site.services);
    site.onClose(() => loop.stop());
  };
  /** Waits until the database has such a row. */
  const untilRow = (sql: string, ...values: unknown[]): Promise<unknown> =>
    until(sql, async () => (await site.rows(sql, ...values)).length > 0);
  const syncedAgain = async ({ id }: ConnectedHost): Promise<void> => {
    const host = await site.row<{ at: Date | null }>("select last_sync_at as at from host where id = $1", id);
    await untilRow(
      "select from host where id = $1 and last_sync_at > coalesce($2::timestamptz + interval '1 ms', '-infinity')",
      id,
      host?.at,
    );
  };

  it("goes on with the others while one hangs, and reports what is wrong with it", async function () {
    this.timeout(300_000);
    const hanging = await site.connect({ name: "pvea" });
    const lively = await site.connect({ name: "pveb" });
    await hanging.control.post("/faults", { path: ".", effect: "hang" });
    start();
    await untilRow("select from host where id = $1 and last_attempt_at is not null", hanging.id);
    for (let sync = 0; sync < 3; sync++) await syncedAgain(lively);
    assert.deepEqual(
      await site.row("select last_sync_at, last_sync_error from host where id = $1", hanging.id),
      { last_sync_at: null, last_sync_error: null },
      "three syncs of the other host, while the first of this one still hangs",
    );
    // Every further call of the sync has a limit of its own.
    await until("its sync has failed", async () => {
      time.move(CALL_MS);
      return (await site.rows("select from host where id = $1 and last_sync_error is not null", hanging.id)).length > 0;
    });
    await hanging.control.delete("/faults");
    await untilRow(
      "select from host where id = $1 and last_sync_error is null and last_sync_at is not null",
      hanging.id,
    );
  });

  it("leaves out hosts that are switched off", async () => {
    const off = await site.connect({ name: "pvea" });
    const on = await site.connect({ name: "pveb" });
    await site.rows("update host set active = false where id = $1", off.id);
    start();
    await syncedAgain(on);
    assert.deepEqual(await off.control.get("/requests"), []);
  });

  it("shares the turns among processes", async () => {
    const pve = await site.connect();
    const begin = performance.now();
    for (let process = 0; process < 3; process++) start();
    for (let sync = 0; sync < 4; sync++) await syncedAgain(pve);
    const requests = JSON.stringify(await pve.control.get("/requests"));
    const syncs = requests.split("/cluster/resources").length - 1;
    const turns = (performance.now() - begin) / 1000 / (SYNC_SECONDS * 0.9);
    assert.ok(syncs >= 4 && syncs <= turns + 1, `${syncs} syncs in ${turns} turns`);
  });

  it("waits for running syncs at its end", async () => {
    const pve = await site.connect();
    await pve.control.post("/faults", { path: "/cluster/status", delayMs: 300, times: 1 });
    const loop = startInventory(site.services);
    await until("a sync is under way", async () =>
      JSON.stringify(await pve.control.get("/requests")).includes("/cluster/status"),
    );
    await loop.stop();
    assert.deepEqual(await site.row("select last_sync_at is not null as synced from host"), { synced: true });
  });

  it("begins no sync any more at its end", async () => {
    const greeted = new Set<number>();
    const held = new Set<Socket>();
    let isEnding = false;
    const silentHost = async (index: number): Promise<void> => {
      const server = createServer((socket) => {
        socket.on("error", () => undefined);
        greeted.add(index);
        if (isEnding) socket.destroy();
        else held.add(socket);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      site.onClose(() => Promise.resolve(server.close()));
      await insertHost(site.services, silentConnection(server), `silent${index}`);
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => silentHost(index)));
    const loop = startInventory(site.services);
    await until("a host was greeted", () => greeted.size > 0);
    const ended = loop.stop();
    isEnding = true;
    for (const socket of held) socket.destroy();
    await ended;
    assert.ok(greeted.size < 40, `${greeted.size} of 40 hosts were greeted`);
  });

  it("prunes guests that are long gone, samples that are old", async () => {
    await plant(site.services.pool, {
      host: [{}],
      node: [{}],
      node_sample: [46, 47, 48, 49, 50].map((hours) => ({ at: longAgo(hours) })),
      guest: [5, 6, 7, 8].map((days) => ({ vmid: 100 + days, gone_at: longAgo(24 * days) })),
    });
    await pruneInventory(site.services);
    assert.deepEqual(await site.rows("select vmid from guest order by vmid"), [{ vmid: 105 }, { vmid: 106 }]);
    assert.deepEqual(await site.row("select count(*) as samples from node_sample"), { samples: 2 });
  });
});
