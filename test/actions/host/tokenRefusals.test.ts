// What a host has refused to moves counts until it is connected or allowed in another way.
import assert from "node:assert/strict";
import { updateHost } from "../../../src/actions/host/host.js";
import type { HostChange } from "../../../src/actions/host/hostInput.js";
import type { Context } from "../../../src/context/context.js";
import * as tokenRefusals from "../../../src/store/tokenRefusal.js";
import { SECRET, type Site } from "../../inventory/support/site.js";
import { openConnected } from "./input.js";

describe("what a host has refused to moves", () => {
  let site: Site;
  let context: Context;
  let id: number;
  beforeEach(async () => {
    ({ site, context, id } = await openConnected());
    await tokenRefusals.record(site.services.pool, { hostId: id, tokenId: 1, words: "no", at: new Date(0) });
  });
  afterEach(() => site.close());

  /** @returns whether the refusal still counts */
  async function isKeptAfter(change: HostChange): Promise<boolean> {
    await updateHost(context, id, change);
    return (await site.row<{ words: string | null }>("select words from token_refusal"))?.words === "no";
  }

  it("counts on when the host gets another name, is changed to what it was, or is switched off", async () => {
    for (const change of [{ name: "other" }, { allowUnrestrictedMoveToken: false }, { active: false }]) {
      assert.equal(await isKeptAfter(change), true, JSON.stringify(change));
    }
  });

  it("is forgotten when moves may use another kind of token", async () => {
    assert.equal(await isKeptAfter({ allowUnrestrictedMoveToken: true }), false);
  });

  it("is forgotten when the host is switched on again", async () => {
    assert.equal(await isKeptAfter({ active: false }), true);
    assert.equal(await isKeptAfter({ active: true }), false);
  });

  it("is forgotten with other credentials, also of a host that is switched off", async () => {
    assert.equal(await isKeptAfter({ active: false }), true);
    assert.equal(await isKeptAfter({ tokenId: "other", tokenSecret: SECRET }), false);
  });
});
