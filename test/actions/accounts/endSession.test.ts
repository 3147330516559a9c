// Whose sessions are listed and ended, and by whom.
import assert from "node:assert/strict";
import type { Viewer } from "../../../src/access/viewer.js";
import { endSession, endSessions } from "../../../src/actions/accounts/endSession.js";
import { anonymous, contextOf, managingToken, signedIn, tokenViewer, userViewer } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";

/** Users who are signed in, a session each. */
const SESSIONS = [1, 2, 3, 4, 4, 4];

describe("actions/endSession", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
    await plant(services.pool, {
      user_account: [
        { username: "boss", role: "admin" },
        { username: "olga", role: "operator" },
        { username: "rita", role: "reseller" },
        { username: "carl", role: "customer", created_by: 3 },
      ],
      session: SESSIONS.map((user_id, index) => ({ user_id, token_hash: `s${index + 1}` })),
    });
  });
  afterEach(() => services.close());

  const as = (viewer: Viewer) => contextOf(services, viewer);
  const carl = signedIn({ role: "customer", userId: 4, username: "carl", sessionId: 5 });
  const left = async (): Promise<number[]> =>
    (await services.pool.query("select id from session order by id")).rows.map(({ id }) => id);

  it("ends the other sessions of the caller, and says how many", async () => {
    assert.equal(await endSessions(as(carl), null), 2);
    assert.deepEqual(await left(), [1, 2, 3, 5]);
    assert.equal(await endSessions(as(carl), 4), 0);
    assert.deepEqual(await left(), [1, 2, 3, 5]);
  });

  it("ends one of the caller's sessions, the present one too", async () => {
    await endSession(as(carl), 4);
    await endSession(as(carl), 5);
    assert.deepEqual(await left(), [1, 2, 3, 6]);
    await refusedAs("notFound", endSession(as(carl), 4));
  });

  const reach: readonly (readonly [who: string, viewer: Viewer, users: readonly number[]])[] = [
    ["an admin", userViewer("admin", 1), [1, 2, 3, 4]],
    ["an operator", userViewer("operator", 2), [2, 3, 4]],
    ["a reseller", userViewer("reseller", 3), [3, 4]],
    ["a customer", carl, [4]],
    ["a token", tokenViewer(), [3, 4]],
    ["a token of bounded scope", managingToken([1]), [4]],
    ["nobody", anonymous, []],
  ];
  for (const [who, viewer, users] of reach) {
    it(`lets ${who} end sessions of ${users.length === 0 ? "nobody" : users.join(", ")}`, async () => {
      for (const [index, userId] of SESSIONS.entries()) {
        const outcome = await endSession(as(viewer), index + 1).catch(({ kind }) => kind);
        const refused = viewer.kind === "anonymous" ? "unauthenticated" : "notFound";
        assert.equal(outcome, users.includes(userId) ? undefined : refused, `session ${index + 1}`);
      }
    });

    it(`lets ${who} end all sessions of ${users.length === 0 ? "nobody" : users.join(", ")}`, async () => {
      for (const userId of [1, 2, 3, 4]) {
        const outcome = await endSessions(as(viewer), userId).catch(({ kind }) => kind);
        assert.equal(typeof outcome === "number", users.includes(userId), `${userId}: ${outcome}`);
      }
    });
  }

  it("refuses the own sessions of an API token, which has none", async () => {
    await refusedAs("forbidden", endSessions(as(managingToken()), null));
    await refusedAs("unauthenticated", endSessions(as(anonymous), null));
  });

  it("finds no session that is not there", async () => {
    await refusedAs("notFound", endSession(as(userViewer("admin", 1)), 99));
    await refusedAs("notFound", endSessions(as(userViewer("admin", 1)), 99));
  });
});
