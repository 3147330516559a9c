// The rights that a move uses on its target: each is needed, together they suffice, and what is missing is named beforehand.
import assert from "node:assert/strict";
import * as tokenRefusals from "../../../src/store/tokenRefusal.js";
import { refusedAs } from "../../support/refusal.js";
import {
  allowUnrestricted,
  connectAs,
  LIMITING_RIGHTS,
  MINIMAL_ROLE,
  setRights,
  TARGET_RIGHTS,
  tokensOrdered,
  type Held,
} from "./connectedAs.js";
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
import { until } from "../../support/until.js";

const VMID = 301;

/** Exactly what the move of the stage's machine uses, by path. */
const USED: readonly Held[] = [
  { path: "/", privileges: ["Sys.Audit", "Sys.Incoming", "Permissions.Modify"] },
  { path: "/access", privileges: ["Sys.Modify"] },
  { path: "/access/groups", privileges: ["User.Modify"] },
  { path: "/nodes/pveb", privileges: ["Sys.Audit"] },
  {
    path: `/vms/${VMID}`,
    privileges: [
      "VM.Audit",
      "VM.Allocate",
      "VM.Config.CPU",
      "VM.Config.Disk",
      "VM.Config.HWType",
      "VM.Config.Memory",
      "VM.Config.Network",
      "VM.Config.Options",
      "Permissions.Modify",
    ],
  },
  { path: "/storage/local", privileges: ["Datastore.AllocateSpace", "Permissions.Modify"] },
  { path: "/sdn/zones/localnetwork/vmbr0", privileges: ["SDN.Use", "Permissions.Modify"] },
];

/** Every right of these, with all the others. */
const eachMissing = USED.flatMap(({ path, privileges }) =>
  privileges.map((privilege) => ({
    right: `${privilege} on ${path}`,
    held: USED.map((one) =>
      one.path === path ? { path, privileges: privileges.filter((name) => name !== privilege) } : one,
    ),
  })),
);

describe("the rights of a move on its target", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let guestId: number;
  beforeEach(async () => {
    stage = await openMoveStage();
    guestId = await placeAndSync(stage, { type: "qemu", vmid: VMID, status: "stopped", config: { agent: "1" } });
  });
  afterEach(() => stage.close());

  const problems = async (): Promise<[code: string, message: string][]> =>
    (await plan(stage, moveInput(stage, guestId))).problems.map(({ code, message }) => [code, message]);

  const stepIsRunning = async ({ jobId }: QueuedMove, step: string): Promise<boolean> => {
    const { rowCount } = await stage.services.pool.query(
      `select from job_step where job_id = $1 and name = $2 and status = 'running'`,
      [jobId, step],
    );
    return rowCount !== 0;
  };

  /** The move, with something done between its checks and its token: the source's agent answers no earlier. */
  const moveWithLoss = async (work: () => void): Promise<Record<string, unknown>> => {
    const move = await queueMove(stage, guestId);
    stage.silent.add(stage.source.node);
    const running = run(stage, move.jobId);
    await until("the reachability is being checked", () => stepIsRunning(move, "reachability"));
    work();
    stage.silent.delete(stage.source.node);
    await running;
    return migrationRow(stage, move.migrationId);
  };

  /** They are made by the first move. */
  const forgetRoles = (): void => {
    const { roles } = stage.target.host.platform.state.access;
    for (const name of roles.keys()) if (name.startsWith("DroverMigration")) roles.delete(name);
  };

  /** Takes away what a move has left for a person to look at, and what its target has said. */
  const clear = async (): Promise<void> => {
    stage.target.host.platform.state.guests.delete(VMID);
    delete guestOn(stage.source, VMID)?.config["lock"];
    await tokenRefusals.forget(stage.services.pool, stage.target.hostId);
  };

  it("suffice when they are just those, and leave nothing behind", async () => {
    await connectAs(stage, stage.target, USED, { propagate: false });
    assert.deepEqual(await problems(), []);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    const row = await migrationRow(stage, migrationId);
    assert.deepEqual([row["status"], row["error"]], ["done", null]);
    assert.deepEqual(await tokensOrdered(stage.target), ["1"]);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("are each named by the plan, with its path, when they are missing", async () => {
    const user = await connectAs(stage, stage.target, USED, { propagate: false });
    for (const { right, held } of eachMissing) {
      setRights(stage.target, user, held, { propagate: false });
      const found = await problems();
      assert.ok(
        found.some(([, message]) => message.includes(`lacks ${right}`)),
        `${right}: ${JSON.stringify(found)}`,
      );
    }
  });

  it("are each needed: without one of them the move does not go through", async () => {
    const user = await connectAs(stage, stage.target, USED, { propagate: false });
    // Without VM.Audit, a job whose guest may be on the target already asks for half an hour whether it may look.
    for (const { right, held } of eachMissing.filter((one) => !one.right.startsWith("VM.Audit"))) {
      setRights(stage.target, user, USED, { propagate: false });
      forgetRoles();
      const row = await moveWithLoss(() => setRights(stage.target, user, held, { propagate: false }));
      assert.deepEqual([row["status"], row["transfer_done"]], ["failed", false], right);
      assert.equal((await tokensOrdered(stage.target)).includes("0"), false, right);
      await clear();
    }
  });

  it("are refused by the start of a move, and named with the host by its job, when the token cannot be limited", async () => {
    const user = await connectAs(stage, stage.target, [{ path: "/", privileges: [...MINIMAL_ROLE, ...TARGET_RIGHTS] }]);
    const lacking = "Permissions.Modify on /, Permissions.Modify on /vms/301, Permissions.Modify on /storage/local";
    const refused = await refusedAs("conflict", queueMove(stage, guestId));
    assert.equal(refused.reason, "TARGET_TOKEN_NOT_LIMITED");
    assert.match(refused.message, new RegExp(`the connection of host pveb lacks ${lacking}`));
    const all = [{ path: "/", privileges: [...MINIMAL_ROLE, ...TARGET_RIGHTS, ...LIMITING_RIGHTS] }];
    setRights(stage.target, user, all);
    const row = await moveWithLoss(() =>
      setRights(stage.target, user, [{ path: "/", privileges: [...MINIMAL_ROLE, ...TARGET_RIGHTS] }]),
    );
    assert.equal(row["status"], "failed");
    assert.match(
      String(row["error"]),
      /temporary token cannot be limited on host pveb \(its connection lacks Permissions\.Modify on \//,
    );
    assert.deepEqual(await tokensOrdered(stage.target), []);
  });

  it("are named with the host by the job when they are lost before the token is made", async () => {
    const privileges = [...MINIMAL_ROLE, ...TARGET_RIGHTS, ...LIMITING_RIGHTS];
    const user = await connectAs(stage, stage.target, [{ path: "/", privileges }]);
    const left = privileges.filter((name) => name !== "User.Modify");
    const row = await moveWithLoss(() => setRights(stage.target, user, [{ path: "/", privileges: left }]));
    assert.equal(row["status"], "failed");
    assert.match(
      String(row["error"]),
      /host pveb lets its connection make no token of drover\d@pve: it lacks User\.Modify on \/access\/groups/,
    );
  });

  it("are all given to the token where the operator allows it, which the plan and the move report", async () => {
    const user = await connectAs(stage, stage.target, [{ path: "/", privileges: [...MINIMAL_ROLE, ...TARGET_RIGHTS] }]);
    await allowUnrestricted(stage, stage.target);
    const seen = await plan(stage, moveInput(stage, guestId));
    assert.deepEqual(
      [seen.problems, seen.warnings.map(({ code }) => code), seen.startable],
      [[], ["TARGET_TOKEN_UNRESTRICTED"], true],
    );
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    const row = await migrationRow(stage, migrationId);
    assert.equal(row["status"], "done_with_warnings");
    assert.match(String(row["foreseen"]), /^TARGET_TOKEN_UNRESTRICTED: while the guest moves, pvea has all rights/);
    const { rows } = await stage.services.pool.query<{ name: string; error: string }>(
      `select name, error from job_step where job_id = $1 and status = 'warned'`,
      [jobId],
    );
    assert.equal(rows[0]?.name, "target_token");
    assert.match(rows[0]?.error ?? "", /^the temporary token had all rights of the connection of host pveb/);
    assert.deepEqual(await tokensOrdered(stage.target), ["0"]);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    assert.equal(stage.target.host.platform.state.access.users.get(user)?.tokens.size, 1);
  });

  it("limit the token also on a host that would allow unrestricted ones", async () => {
    await allowUnrestricted(stage, stage.target);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    assert.equal((await migrationRow(stage, migrationId))["status"], "done");
    assert.deepEqual(await tokensOrdered(stage.target), ["1"]);
  });
});
