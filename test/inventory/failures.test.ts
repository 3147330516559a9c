// Hosts that cannot be read: each says why, and keeps what is known of it.
import assert from "node:assert/strict";
import type { HostOptions } from "../../simulator/host.js";
import type { HostConnection } from "../../src/hypervisor/connection.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { HandTime } from "../support/handTime.js";
import { losingPool } from "../jobs/killing.js";
import { refusedAs } from "../support/refusal.js";
import { Site, type ConnectedHost } from "./support/site.js";
import { until } from "../support/until.js";

interface Fault {
  readonly name: string;
  readonly options?: Partial<HostOptions>;
  readonly befall: (pve: ConnectedHost) => Promise<Partial<HostConnection>>;
  readonly words: RegExp;
  /** No word ever comes: its calls end when their time is moved. */
  readonly isSilent?: true;
}

const ordered = async (pve: ConnectedHost, fault: object): Promise<object> => {
  await pve.control.post("/faults", fault);
  return {};
};

const FAULTS: readonly Fault[] = [
  {
    name: "cannot be reached",
    befall: async ({ host }) => {
      await host.close();
      return {};
    },
    words: /nothing listens at its address and port \(connect ECONNREFUSED/,
  },
  {
    name: "shows another certificate",
    befall: () => Promise.resolve({ tlsFingerprint: Array.from({ length: 32 }, () => "AB").join(":") }),
    words: /certificate is not the one that is expected \(it has the SHA-256 fingerprint/,
  },
  {
    name: "does not take the secret",
    befall: () => Promise.resolve({ credential: { kind: "token", tokenId: "panel", secret: "wrong" } }),
    words: /401|authentication|token/i,
  },
  {
    name: "hangs",
    isSilent: true,
    befall: (pve) => ordered(pve, { path: ".", effect: "hang" }),
    words: /answer|timed? ?out/i,
  },
  {
    name: "drops every connection",
    befall: (pve) => ordered(pve, { path: ".", effect: "drop" }),
    words: /closed|reset|hang up|socket/i,
  },
  {
    name: "answers 500 with a reason phrase only (7.4)",
    options: { release: "7.4" },
    befall: (pve) =>
      ordered(pve, { path: "/cluster/resources", effect: "status", status: 500, message: "got no quorum" }),
    words: /got no quorum/,
  },
];

const WEEK_SECONDS = 7 * 86_400;
const CALL_MS = 6_000;

/** Lets the time of each call go by, as long as this goes on. */
async function passTime(time: HandTime, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const ended = work.finally(() => (isOver = true));
  await until("every call has been given up", () => {
    time.move(CALL_MS);
    return isOver;
  });
  await ended;
}

describe("a host that cannot be read", () => {
  let site: Site;
  afterEach(() => site.close());

  for (const { name, options, befall, words, isSilent = false } of FAULTS) {
    it(`${name}: the fault is on record, and its guests are kept`, async () => {
      const time = new HandTime();
      site = await Site.open(isSilent ? { callMs: CALL_MS, stopwatch: time } : {});
      const pve = await site.connect(options);
      await pve.control.post("/guests", { type: "qemu", vmid: 100, node: "pvea", name: "web1" });
      await pve.sync();
      await changeConnection(pve, await befall(pve));
      const refused = refusedAs("platform", pve.sync());
      if (isSilent) await passTime(time, refused);
      await refused;
      const known = await site.row<{ error: string; synced: boolean }>(
        `select h.last_sync_error as error, h.last_sync_at is not null as synced, g.gone_at, n.status
         from host h join guest g on g.host_id = h.id join node n on n.host_id = h.id`,
      );
      assert.match(known?.error ?? "", words);
      assert.doesNotMatch(known?.error ?? "", /aaaaaaaa-0000/, "no secret in it");
      assert.deepEqual({ ...known, error: "" }, { error: "", synced: true, gone_at: null, status: "online" });
    });
  }

  for (const { syncSeconds, silence } of [
    { syncSeconds: 30, silence: 90 },
    { syncSeconds: 6, silence: 18 },
    { syncSeconds: 1, silence: 15 },
  ]) {
    it(`read every ${syncSeconds} s is of unknown state after ${silence} s of silence, and recovers`, async () => {
      site = await Site.open({}, { config: { syncSeconds } });
      const pve = await site.connect();
      await pve.sync();
      await pve.control.post("/faults", { path: "/cluster/status", effect: "status", status: 403, message: "not now" });
      const node = () => site.row("select status, (select last_sync_error is null from host) as fine from node");
      for (const [seconds, status] of [
        [silence / 6, "online"],
        [silence, "unknown"],
      ] as const) {
        site.clock.shift(seconds);
        await refusedAs("platform", pve.sync());
        assert.deepEqual(await node(), { status, fine: false });
      }
      await pve.control.delete("/faults");
      await pve.sync();
      assert.deepEqual(await node(), { status: "online", fine: true });
    });
  }

  for (const { met, fault, status } of [
    { met: "nobody", fault: { path: ".", effect: "drop" }, status: "unknown" },
    { met: "a refusal", fault: { path: "/cluster/status", effect: "status", status: 403 }, status: "online" },
  ]) {
    it(`is ${status} when a sync on request has just met ${met}, and recovers`, async () => {
      site = await Site.open();
      const pve = await site.connect();
      await pve.sync();
      await pve.control.post("/faults", fault);
      await refusedAs("platform", pve.sync({ thorough: true }));
      assert.deepEqual(await site.row("select status from node"), { status });
      await pve.control.delete("/faults");
      await pve.sync({ thorough: true });
      assert.deepEqual(await site.row("select status from node"), { status: "online" });
    });
  }

  for (const { what, code, told } of [
    { what: "is away", code: "57P01", told: null },
    { what: "is a standby", code: "25006", told: null },
    { what: "takes too long", code: "57014", told: "The database took too long: ask for less, or try again later" },
  ]) {
    it(`is not blamed when the database ${what}`, async () => {
      site = await Site.open();
      const pve = await site.connect();
      await pve.sync();
      site.clock.shift(WEEK_SECONDS);
      const error = Object.assign(new Error("the database cannot serve"), { code });
      const { pool } = losingPool(site.services.pool, { write: 1, moment: "before" }, error);
      await assert.rejects(syncHost({ ...site.services, pool }, pve.id), error);
      assert.deepEqual(await site.row("select last_sync_error as error from host"), { error: told });
    });
  }

  it("goes on when the clock was set back, and records what fails then", async () => {
    site = await Site.open();
    const pve = await site.connect();
    site.clock.shift(WEEK_SECONDS);
    await pve.sync();
    site.clock.shift(-WEEK_SECONDS);
    await pve.control.post("/faults", { path: "/cluster/status", effect: "status", status: 403, message: "not now" });
    await refusedAs("platform", pve.sync());
    assert.deepEqual(await site.row("select last_sync_error as error from host"), { error: "host pvea: not now" });
    await pve.control.delete("/faults");
    await pve.sync();
    const sync = "select last_sync_error as error, last_sync_at <= $1 as present from host";
    assert.deepEqual(await site.row(sync, site.clock.now()), { error: null, present: true });
  });

  it("does not overwrite the news of a sync that began later", async () => {
    site = await Site.open();
    const pve = await site.connect();
    await pve.control.post("/faults", {
      path: "/cluster/status",
      effect: "status",
      status: 403,
      message: "late",
      delayMs: 300,
      times: 1,
    });
    const slow = refusedAs("platform", pve.sync());
    site.clock.shift(1);
    const isUnderWay = async () => JSON.stringify(await pve.control.get("/requests")).includes("/cluster/status");
    await until("the sync is under way", isUnderWay);
    await pve.sync();
    await slow;
    assert.deepEqual(await site.row("select last_sync_error as error from host"), { error: null });
  });

  async function changeConnection({ id }: ConnectedHost, change: Partial<HostConnection>): Promise<void> {
    if (change.tlsFingerprint !== undefined)
      await site.rows("update host set tls_fingerprint = $2 where id = $1", id, change.tlsFingerprint);
    if (change.credential?.kind === "token") {
      const sealed = site.services.secrets.seal(change.credential.secret, "host.secret");
      await site.rows("update host set secret_encrypted = $2 where id = $1", id, sealed);
    }
    await site.services.hypervisors.forget(id);
  }
});
