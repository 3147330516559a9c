// Who may start a balance run, and between which hosts; a run that is refused leaves nothing.
import assert from "node:assert/strict";
import type { Viewer } from "../../../src/access/viewer.js";
import { startBalanceRun } from "../../../src/actions/run/balanceRun.js";
import { UserRole } from "../../../src/core/enums.js";
import { insertGuests, insertNodes } from "../../placement/fleet.js";
import { anonymous, contextOf, managingToken, tokenViewer, userViewer } from "../../support/context.js";
import { refusedAs, refusedFields } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";

describe("actions/balanceRun", () => {
  let services: TestServices;
  let guestId: number;
  beforeEach(async () => {
    services = await createTestServices();
    await plant(services.pool, { user_account: [{ role: UserRole.ADMIN }] });
    await insertNodes(services.pool, [
      { host: 1, name: "hot" },
      { host: 2, name: "cool" },
    ]);
    [guestId = 0] = await insertGuests(services.pool, [{ host: 1, node: "hot", vmid: 100 }]);
  });
  afterEach(() => services.close());

  const move = (): string => `${guestId}.1.hot.2.cool`;
  const start = (viewer: Viewer, ids: readonly string[] = [move()]) =>
    startBalanceRun(contextOf(services, viewer), ids);
  const runs = async (): Promise<number> => (await services.pool.query("select from run")).rows.length;

  it("is started by those who manage hosts, and by nobody else", async () => {
    await refusedAs("unauthenticated", start(anonymous));
    for (const viewer of [tokenViewer(), userViewer(UserRole.RESELLER, 1), userViewer(UserRole.CUSTOMER, 1)]) {
      assert.equal((await refusedAs("forbidden", start(viewer))).reason, "PERMISSION_MISSING");
    }
    assert.equal(await runs(), 0);
    await start(userViewer(UserRole.ADMIN, 1));
    assert.equal(await runs(), 1);
  });

  it("ends at the scope of a token, at the source as at the target", async () => {
    for (const hostIds of [[1], [2], [3]]) {
      assert.equal((await refusedAs("forbidden", start(managingToken(hostIds)))).reason, "HOST_OUT_OF_SCOPE");
    }
    assert.equal(await runs(), 0);
  });

  it("names each guest once, by suggestions that can be read", async () => {
    const by = userViewer(UserRole.ADMIN, 1);
    await refusedFields(["suggestionIds"], start(by, []));
    await refusedFields(["suggestionIds"], start(by, [move(), "none"]));
    await refusedFields(["suggestionIds"], start(by, [move(), move()]));
    assert.equal(await runs(), 0);
  });
});
