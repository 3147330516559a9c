// A request on its way in: whose share it takes, which slot, and its one row in the log.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { Call } from "../../../src/access/admission/call.js";
import { RequestRecord } from "../../../src/access/admission/requestRecord.js";
import { RequestsPresent } from "../../../src/access/admission/requestsPresent.js";
import { SampledLog } from "../../../src/access/admission/sampledLog.js";
import { Slots } from "../../../src/access/admission/slots.js";
import type { Authentication } from "../../../src/access/authenticate.js";
import type { LoggedRequest, RequestLog } from "../../../src/access/requestLog.js";
import { UserRole } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import { anonymous, tokenViewer, userViewer } from "../../support/context.js";
import { silentLog } from "../../support/log.js";
import { fixedClock } from "../../support/services.js";

const AT = new Date("2026-11-21T12:00:10Z");
const RATE = { limit: 60, remaining: 59, secondsToNext: 50 };
const TOKEN = { id: 0, name: "test" };
const fails = (): Promise<never> => Promise.reject(new Error("the work failed"));

describe("access/admission/call", () => {
  let admission: Authentication;
  let pressure: { isTooHigh: boolean };
  let present: RequestsPresent;
  let asked: unknown[];
  let rows: { how: string; row: LoggedRequest }[];
  let call: Call;
  beforeEach(() => {
    admission = { admitted: true, viewer: tokenViewer(), token: TOKEN, rate: RATE };
    pressure = { isTooHigh: false };
    present = new RequestsPresent();
    asked = [];
    rows = [];
    const access = {
      authenticate: async (...parameters: unknown[]) => {
        asked.push(parameters);
        return admission;
      },
      identify: () => assert.fail(),
      agentNodeId: () => assert.fail(),
      close: () => Promise.resolve(),
    };
    const requestLog: Pick<RequestLog, "record" | "recordAnswer"> = {
      record: (row) => void rows.push({ how: "soon", row }),
      recordAnswer: async (row) => void rows.push({ how: "now", row }),
    };
    const log = new SampledLog({ requestLog, clock: fixedClock(AT), log: silentLog });
    const record = new RequestRecord({ at: AT, sourceIp: "203.0.113.5", method: "GET", path: "/hosts" });
    call = new Call({ access, log, pressure, present, slots: new Slots(1) }, record);
  });

  it("takes its source's share until its token is known, and its token's from then on", async () => {
    assert.deepEqual(call.caller, { key: "address 203.0.113.5", isKnown: false });
    assert.equal(
      await call.authenticate({ authorization: "Bearer x" }, ["apiToken"]),
      admission.admitted && admission.viewer,
    );
    assert.deepEqual(asked, [[{ authorization: "Bearer x", sourceIp: "203.0.113.5" }, ["apiToken"]]]);
    assert.deepEqual([call.caller, call.rate, call.record.token], [{ key: "token 0", isKnown: true }, RATE, TOKEN]);
  });

  it("stays its source's when it is refused, with the token and its rate for the log and the headers", async () => {
    const refusal = new DroverError("rateLimited", "Too many");
    admission = { admitted: false, refusal, token: TOKEN, rate: RATE };
    await assert.rejects(call.authenticate({ authorization: "Bearer x" }, ["apiToken"]), refusal);
    assert.deepEqual([call.caller.isKnown, call.rate, call.record.token], [false, RATE, TOKEN]);
  });

  it("takes a person's share, without a token, and an unknown caller's", () => {
    call.isOf(tokenViewer());
    call.isOf(userViewer(UserRole.CUSTOMER, 7));
    assert.deepEqual([call.caller, call.record.token], [{ key: "user 7", isKnown: true }, null]);
    call.isOf(anonymous);
    assert.deepEqual(call.caller, { key: "address 203.0.113.5", isKnown: false });
  });

  it("is refused while the pressure is too high", () => {
    call.refuseUnderPressure();
    pressure.isTooHigh = true;
    assert.throws(() => call.refuseUnderPressure(), { kind: "unavailable", reason: "BUSY" });
  });

  it("is present from its entrance to its end", () => {
    const leave = call.enter();
    assert.deepEqual([present.sinceLast(), present.sinceLast()], [1, 1]);
    leave();
    assert.deepEqual([present.sinceLast(), present.sinceLast()], [1, 0]);
  });

  it("gives its slot back when its work ends, and when that fails", async () => {
    for (let round = 0; round < 3; round++) {
      assert.equal(await call.inSlot(async () => round), round);
      await assert.rejects(call.inSlot(fails), /the work failed/);
    }
  });

  it("has one row, written soon or now", async () => {
    call.logSoon(200);
    call.logSoon(500);
    await call.logNow(500);
    assert.deepEqual(
      rows.map(({ how, row }) => [how, row.status, row.path, row.sourceIp, row.at]),
      [["soon", 200, "/hosts", "203.0.113.5", AT]],
    );
  });

  it("has in its row how long it took, in milliseconds", () => {
    const time = mock.method(performance, "now", () => 1_000);
    try {
      const record = new RequestRecord({ at: AT, sourceIp: "203.0.113.5", method: "GET", path: "/hosts" });
      time.mock.mockImplementation(() => 1_250);
      assert.equal(record.row(200).durationMs, 250);
    } finally {
      time.mock.restore();
    }
  });

  it("has one row with its token, also when it was written now", async () => {
    await call.authenticate({ authorization: "Bearer x" }, ["apiToken"]);
    await call.logNow(201);
    await call.logNow(500);
    call.logSoon(500);
    assert.deepEqual(
      rows.map(({ how, row }) => [how, row.status, row.tokenId, row.tokenName]),
      [["now", 201, 0, "test"]],
    );
  });
});
