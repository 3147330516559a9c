// What the agent says in a heartbeat is what the service reads, field by field.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { toHeartbeat } from "../../agent/heartbeat.js";
import type { JobResult } from "../../agent/protocol.js";
import { readHeartbeat } from "../../heartbeat/protocol.js";
import { OBSERVATION } from "./fakePlatform.js";

const done: JobResult = { id: randomUUID(), status: "done", error: null, data: { reachable: true } };
const failed: JobResult = { id: randomUUID(), status: "failed", error: "no such guest", data: {} };

describe("heartbeat between agent and service", () => {
  const cases = [
    ["a healthy node", toHeartbeat(OBSERVATION, [], [])],
    ["a node with problems and results", toHeartbeat(OBSERVATION, ["no quorum"], [done, failed])],
    ["a node that knows little", toHeartbeat({ ...OBSERVATION, hypervisorVersion: null, publicAddress: null }, [], [])],
  ] as const;
  for (const [name, said] of cases) {
    it(`MUST be read as it was sent: ${name}`, () => assert.deepEqual(readHeartbeat(said), { beat: said }));
  }
});
