// Which requests share a caller.
import assert from "node:assert/strict";
import { agentCaller, callerOf, networkOf, sourceCaller } from "../../../src/access/admission/caller.js";
import { anonymous } from "../../../src/access/viewer.js";
import { managingToken } from "../../support/context.js";

describe("access/admission/caller", () => {
  it("is the token wherever it is used, and the agent", () => {
    const token = callerOf(managingToken(), "192.0.2.1");
    assert.deepEqual(token, callerOf(managingToken(), "192.0.2.2"));
    assert.ok(token.isKnown && agentCaller(1).isKnown);
  });

  it("without a token is the address, or the /64 of IPv6", () => {
    assert.deepEqual(callerOf(anonymous, "192.0.2.1"), { key: "address 192.0.2.1", isKnown: false });
    assert.equal(networkOf("2001:db8:0:1::1"), networkOf("2001:db8:0:1:ffff::2"));
    assert.notEqual(networkOf("2001:db8:0:1::1"), networkOf("2001:db8:0:2::1"));
    assert.deepEqual(sourceCaller("2001:db8::1").key, "address 2001:db8:0:0::/64");
  });
});
