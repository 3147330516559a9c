// A move with the documented rights makes no request that one of its hosts refuses or fails.
import assert from "node:assert/strict";
import type { GuestType } from "../../../src/core/enums.js";
import {
  allowUnrestricted,
  connectAs,
  LIMITING_RIGHTS,
  MINIMAL_ROLE,
  requestsOf,
  TARGET_RIGHTS,
} from "./connectedAs.js";
import {
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  type GuestToMove,
  type MoveStage,
} from "./stage.js";

describe("the request logs of the hosts of a move", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  let vmid = 300;
  beforeEach(async () => {
    stage = await openMoveStage();
  });
  afterEach(() => stage.close());

  const lastRequests = (): Promise<number[]> =>
    Promise.all([stage.source, stage.target].map(async (side) => (await requestsOf(side)).at(-1)?.n ?? 0));

  const failedSince = async (since: readonly number[]): Promise<string[]> => {
    const found = [stage.source, stage.target].map(async (side, index) =>
      (await requestsOf(side, since[index]))
        .filter(({ status }) => status === null || status >= 400)
        .map(({ method, path, status }) => `${side.node}: ${method} ${path} ${status}`),
    );
    return (await Promise.all(found)).flat();
  };

  /** @returns the move's status, and the requests of its plan and of itself that failed */
  const move = async (type: GuestType): Promise<{ status: unknown; failed: string[] }> => {
    const config: GuestToMove["config"] = { tags: "web", ...(type === "lxc" && { unprivileged: 1 }) };
    const guestId = await placeAndSync(stage, { type, vmid: vmid++, status: "running", config });
    const since = await lastRequests();
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    return { status: (await migrationRow(stage, migrationId))["status"], failed: await failedSince(since) };
  };

  const connections: readonly [what: string, status: string, connect: () => Promise<unknown>][] = [
    ["a token of root", "done", () => Promise.resolve()],
    [
      "the minimal role, and the rights to limit tokens",
      "done",
      async () => {
        await connectAs(stage, stage.source, [{ path: "/", privileges: MINIMAL_ROLE }]);
        const privileges = [...MINIMAL_ROLE, ...TARGET_RIGHTS, ...LIMITING_RIGHTS];
        await connectAs(stage, stage.target, [{ path: "/", privileges }]);
      },
    ],
    [
      "the minimal role, on a host that allows unrestricted tokens",
      "done_with_warnings",
      async () => {
        await connectAs(stage, stage.source, [{ path: "/", privileges: MINIMAL_ROLE }]);
        await connectAs(stage, stage.target, [{ path: "/", privileges: [...MINIMAL_ROLE, ...TARGET_RIGHTS] }]);
        await allowUnrestricted(stage, stage.target);
      },
    ],
  ];
  for (const [what, status, connect] of connections) {
    it(`hold nothing refused or failed when moves go by ${what}`, async () => {
      await connect();
      for (const type of ["qemu", "lxc", "qemu"] as const) assert.deepEqual(await move(type), { status, failed: [] });
    });
  }
});
