// Checks from which words of an agent the demo concludes that no heartbeat will come.
import assert from "node:assert/strict";
import { AgentReport } from "../../demo/agentReport.js";

describe("demo/agentReport", () => {
  let report: AgentReport;

  beforeEach(() => {
    report = new AgentReport();
  });

  const FAILED = "heartbeat failed: no answer within 20 s; next attempt in 1 s";
  const REFUSED = "heartbeat failed: the service answered 503 The service is busy; next attempt in 2 s";

  it("expects a heartbeat of an agent that has reported nothing, and of one that is known", () => {
    assert.equal(report.silence, null);
    report.log.info("known as node ams1; healthy");
    assert.deepEqual([report.silence, report.last], [null, "known as node ams1; healthy"]);
  });

  it("expects none while the node is off, its token is not the current one, or its host does not run", () => {
    for (const words of [
      "node ams1 is off: no heartbeat",
      "heartbeat failed: the service answered 401 Unknown token (is the agent token still …?); next attempt in 1 s",
      "heartbeat failed: connect ECONNREFUSED 127.0.0.1:20000; next attempt in 1 s",
    ]) {
      report.log.warn(words);
      assert.equal(report.silence, words);
    }
    report.log.info("the service answers again");
    assert.equal(report.silence, null);
  });

  it("expects none after eight failures in a row, of which refusals for load are none", () => {
    for (let beat = 0; beat < 100; beat++) report.log.warn(REFUSED);
    for (let beat = 0; beat < 7; beat++) report.log.warn(FAILED);
    assert.equal(report.silence, null);
    report.log.warn("known as node ams1; problems: no NAT");
    for (let beat = 0; beat < 7; beat++) report.log.warn(FAILED);
    assert.equal(report.silence, null);
    report.log.warn(FAILED);
    assert.equal(report.silence, FAILED);
  });
});
