// A target that refuses the temporary token of a move: what it said is kept for ten minutes, blocks further plans, and is forgotten on request.
import assert from "node:assert/strict";
import { syncHostNow, updateHost } from "../../../src/actions/host/host.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import { control } from "../../inventory/support/control.js";
import { withoutPauses } from "../../support/handTime.js";
import { refusedAs } from "../../support/refusal.js";
import { shiftableClock, type ShiftableClock } from "../../support/services.js";
import { contextFor } from "../../support/viewers.js";
import { retry } from "./faults.js";
import {
  guestOn,
  leftovers,
  migrationRow,
  moveInput,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  plan,
  queueMove,
  run,
  type MoveStage,
  type QueuedMove,
} from "./stage.js";

const WORDS = "the datacenter's policy permits API tokens for one hour at most";
const HOLDS_SECONDS = 600;

describe("a target that refuses the temporary token of a move", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let clock: ShiftableClock;
  beforeEach(async () => {
    clock = shiftableClock();
    stage = await openMoveStage({ stopwatch: withoutPauses(15_000), clock });
  });
  afterEach(() => stage.close());

  const place = (vmid: number): Promise<number> => placeAndSync(stage, { type: "qemu", vmid, status: "stopped" });

  const faults = () => control(stage.target.host.control);
  const refuse = (fault: object): Promise<unknown> =>
    faults().post("/faults", {
      method: "POST",
      path: "/access/users/.*/token/",
      effect: "status",
      status: 403,
      message: WORDS,
      ...fault,
    });
  const allow = (): Promise<unknown> => faults().delete("/faults");

  const problems = async (guestId: number): Promise<[code: string, message: string][]> =>
    (await plan(stage, moveInput(stage, guestId))).problems.map(({ code, message }) => [code, message]);

  const move = async (guestId: number): Promise<QueuedMove & { readonly status: unknown; readonly error: string }> => {
    const queued = await queueMove(stage, guestId);
    await run(stage, queued.jobId);
    const { status, error } = await migrationRow(stage, queued.migrationId);
    return { ...queued, status, error: String(error) };
  };

  /** A move that the target has just refused. */
  const refusedMove = async (guestId: number, fault: object = {}) => {
    await refuse(fault);
    const failed = await move(guestId);
    assert.equal(failed.status, "failed");
    await allow();
    return failed;
  };

  /** Time goes by, in which both hosts are synced as ever. */
  const pass = async (seconds: number): Promise<void> => {
    clock.shift(seconds);
    for (const { hostId } of [stage.source, stage.target]) await syncHost(stage.services, hostId, { thorough: true });
  };

  const syncNow = async (): Promise<void> => syncHostNow(await contextFor(stage.services), stage.target.hostId);

  const assertBlocked = async (guestId: number): Promise<void> =>
    assert.deepEqual(
      (await problems(guestId)).map(([code]) => code),
      ["TARGET_TOKEN_REFUSED"],
    );

  it("fails the first move with its words, leaves nothing behind, and blocks further plans and starts", async () => {
    const [first, second] = [await place(101), await place(102)];
    const { error } = await refusedMove(first);
    assert.equal(error, `host pveb lets its connection make no token of root@pam: ${WORDS}`);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    assert.equal(guestOn(stage.target, 101), undefined);
    await assertBlocked(second);
    const [[, message] = []] = await problems(second);
    assert.ok(message?.startsWith("host pveb refused the temporary token of a move "), message);
    assert.ok(message?.endsWith(` ago: ${WORDS}; sync the host once it permits one`), message);
    assert.equal((await refusedAs("conflict", queueMove(stage, second))).reason, "TARGET_TOKEN_REFUSED");
    await pass(HOLDS_SECONDS / 2);
    assert.match(String((await problems(second))[0]?.[1]), /of a move [5-9] minutes ago: /);
  });

  for (const [status, message] of [
    [400, "Parameter verification failed. expire: the policy permits no token that lives so long"],
    [500, "generating token failed: error during cfs-locked 'file-user_cfg' operation: API tokens are switched off"],
  ] as const) {
    it(`is remembered when it answers ${status} ${message}`, async () => {
      const guestId = await place(101);
      const { error } = await refusedMove(guestId, { status, message });
      assert.ok(error.endsWith(message), error);
      assert.ok((await problems(guestId))[0]?.[1].includes(message));
    });
  }

  it("is tried again once the host was synced on request, and no earlier by a sync in the background", async () => {
    const guestId = await place(101);
    await refusedMove(guestId);
    await syncHost(stage.services, stage.target.hostId, { thorough: true });
    await assertBlocked(guestId);
    await syncNow();
    assert.deepEqual(await problems(guestId), []);
    assert.equal((await move(guestId)).status, "done");
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("is tried again after ten minutes, and remembered again", async () => {
    const guestId = await place(101);
    await refusedMove(guestId);
    await pass(HOLDS_SECONDS);
    assert.deepEqual(await problems(guestId), []);
    await refusedMove(guestId);
    await assertBlocked(guestId);
  });

  it("is tried again with other credentials, or once unrestricted tokens are allowed or not", async () => {
    const guestId = await place(101);
    const context = await contextFor(stage.services);
    const { hostId } = stage.target;
    await refusedMove(guestId);
    await updateHost(context, hostId, { name: "renamed" });
    await assertBlocked(guestId);
    await updateHost(context, hostId, { allowUnrestrictedMoveToken: true });
    assert.deepEqual(await problems(guestId), []);
    await refusedMove(guestId);
    const { access } = stage.target.host.platform.state;
    const secret = "99999999-2222-4333-8444-666666666666";
    access.users.get("root@pam")?.tokens.set("other", { secret, privilegeSeparated: false, expire: 0, comment: null });
    await updateHost(context, hostId, { tokenId: "other", tokenSecret: secret });
    assert.deepEqual(await problems(guestId), []);
  });

  it("is tried again by an explicit retry, whose success lets others pass", async () => {
    const [first, second] = [await place(101), await place(102)];
    const failed = await refusedMove(first);
    await assertBlocked(second);
    assert.equal((await retry(stage, failed))["status"], "done");
    assert.deepEqual(await problems(second), []);
  });

  const passing: [what: string, fault: object][] = [
    ["a lock of the platform", { status: 500, message: "can't lock file '/etc/pve/user.cfg' - got timeout" }],
    ["a time-out of its cluster", { status: 500, message: "error with cfs lock 'file-user_cfg': got lock timeout" }],
    ["a node that does not answer", { status: 596, message: "Connection timed out" }],
    ["a connection that breaks", { effect: "drop", status: undefined, message: undefined }],
    [
      "a token of the same name",
      { status: 400, message: "Parameter verification failed. tokenid: Token already exists." },
    ],
    ["a fault without words", { status: 500, message: "" }],
    ["a page in between that redirects", { status: 302, message: "Found" }],
  ];
  for (const [what, fault] of passing) {
    it(`is not remembered for ${what}`, async () => {
      const guestId = await place(101);
      await stage.services.pool.query(`update setting set lock_wait_seconds = 0`);
      await refusedMove(guestId, fault);
      assert.deepEqual(await problems(guestId), []);
    });
  }

  it("keeps at most 300 characters, and nothing that looks like the value of a token", async () => {
    const guestId = await place(101);
    const value = "0d9e6c1a-7f3b-4c55-9a3e-2b7f8f1f0c11";
    await refusedMove(guestId, { message: `token root@pam!mig-1=${value} is not permitted ${"x".repeat(900)}` });
    const { rows } = await stage.services.pool.query<{ words: string }>(`select words from token_refusal`);
    const kept = rows[0]?.words ?? "";
    assert.equal(kept.length, 300);
    assert.ok(kept.startsWith("token root@pam!mig-1=[secret] is not permitted xxx"), kept);
    const { rows: jobs } = await stage.services.pool.query<{ error: string }>(`select error from job order by id`);
    assert.ok(jobs.every(({ error }) => !error.includes(value)));
  });
});
