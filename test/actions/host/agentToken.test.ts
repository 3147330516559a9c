// Tokens of agents: one a node, and what an agent with a new one is told.
import assert from "node:assert/strict";
import { hashAccessToken } from "../../../src/access/accessToken.js";
import { createAgentToken } from "../../../src/actions/host/agentToken.js";
import type { Context } from "../../../src/context/context.js";
import type { Site } from "../../inventory/support/site.js";
import { refusedAs } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { openConnected } from "./input.js";

describe("an agent's token", () => {
  let site: Site;
  let context: Context;
  let id: number;
  beforeEach(async () => {
    ({ site, context, id } = await openConnected());
  });
  afterEach(() => site.close());

  it("is one a node, stored as a hash", async () => {
    const first = await createAgentToken(context, id, "pvea");
    const second = await createAgentToken(context, id, "pvea");
    assert.notEqual(first.value, second.value);
    assert.deepEqual(await site.rows("select token_hash as hash from agent"), [
      { hash: hashAccessToken(second.value) },
    ]);
    await refusedAs("notFound", createAgentToken(context, id, "pveb"));
    await refusedAs("notFound", createAgentToken(context, 99, "pvea"));
  });

  it("has its agent sent all forwards of the node, be there none", async () => {
    const told = () => site.rows("select payload -> 'forwards' as forwards from agent_job where status = 'waiting'");
    await createAgentToken(context, id, "pvea");
    assert.deepEqual(await told(), [{ forwards: [] }]);
    await plant(site.services.pool, {
      guest: [{}],
      port_forward: [{ protocol: "tcp", public_port: 2222, guest_port: 22, guest_address: "192.0.2.9" }],
    });
    await createAgentToken(context, id, "pvea");
    const forward = { id: 1, protocol: "tcp", public_port: 2222, guest_address: "192.0.2.9", guest_port: 22 };
    assert.deepEqual(await told(), [{ forwards: [forward] }]);
  });
});
