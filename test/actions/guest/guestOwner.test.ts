// For whom each kind of caller may create guests: never for somebody whose guest the caller would not see.
import assert from "node:assert/strict";
import type { Viewer } from "../../../src/access/viewer.js";
import { createGuest } from "../../../src/actions/guest/createGuest.js";
import { ADMIN_ID, CUSTOMER_ID, fillWorld, RESELLER_ID } from "../../graphql/support/world.js";
import { callers } from "../../resolvers/execute.js";
import { contextOf } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const OTHER_CUSTOMER_ID = 4;

describe("actions/createGuest, owners", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await fillWorld(services.pool);
    await plant(services.pool, { reseller_node: [{ user_id: RESELLER_ID }] });
    await services.pool.query(`update node set memory_used_mb = 1000 where id = 1`);
  });
  after(() => services.close());

  const create = (viewer: Viewer, ownerId?: number | null) =>
    createGuest(contextOf(services, viewer), 1, {
      type: "lxc",
      node: "auto",
      name: "box",
      planId: 1,
      lxcTemplateId: 1,
      password: "correct horse",
      ownerId,
    });

  const { reseller, plain: token, admin } = callers;
  const refusals: readonly [what: string, viewer: Viewer, ownerId: number | null | undefined, message: RegExp][] = [
    ["a reseller's without an owner", reseller, undefined, /^is required/],
    ["a reseller's for nobody", reseller, null, /^is required/],
    ["a reseller's for another's customer", reseller, OTHER_CUSTOMER_ID, /^is no known user$/],
    ["a reseller's for the reseller", reseller, RESELLER_ID, /^is no known user$/],
    ["a token's for an operator", token, ADMIN_ID, /^is no known user$/],
    ["anybody's for an unknown user", admin, 99, /^is no known user$/],
  ];
  for (const [what, viewer, ownerId, message] of refusals) {
    it(`refuses ${what}`, async () => {
      const { fields } = await refusedAs("validation", create(viewer, ownerId));
      assert.deepEqual(
        fields.map(({ field }) => field),
        ["owner_id"],
      );
      assert.match(fields[0]?.message ?? "", message);
    });
  }

  it("takes a reseller's for a customer of theirs, and a token's for any customer or none", async () => {
    await create(reseller, CUSTOMER_ID);
    await create(token, OTHER_CUSTOMER_ID);
    await create(token);
    const { rows } = await services.pool.query(
      `select input -> 'ownerId' as owner from job where kind = 'guest_create' and host_id = 1 order by id`,
    );
    assert.deepEqual(rows, [{ owner: CUSTOMER_ID }, { owner: OTHER_CUSTOMER_ID }, { owner: null }]);
  });
});
