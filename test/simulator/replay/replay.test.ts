// Tests that the replay judges honestly: what agrees, what does not, and what is not judged.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agrees } from "../../../simulator/replay/judge.js";
import type { Run } from "../../../simulator/replay/recording.js";
import { readRecording } from "../../../simulator/replay/recording.js";
import type { Outcome } from "../../../simulator/replay/replay.js";
import { replayRun } from "../../../simulator/replay/replay.js";
import { reportLines } from "../../../simulator/replay/report.js";

const headers = { "content-type": "application/json;charset=UTF-8", connection: "Keep-Alive" };
const token = { as: "token", who: "root@pam!panel", host: "pvea", scene: "s", took_ms: 5, headers };
const version = { version: "9.2.11", release: "9.2", repoid: "14a22df3" };
const upid = "UPID:pvea:00001000:00010000:6B000000:qmcreate:100:root@pam!panel:";
const closed = { ...headers, connection: "close" };

const rows = [
  // Parameters as pairs: a repeated name arrives as a list, which no text may be.
  {
    ...token,
    id: "x-000",
    method: "GET",
    path: "/cluster/nextid",
    query: [
      ["vmid", 100],
      ["vmid", 101],
    ],
    status: 400,
    reason: "Parameter verification failed.",
    headers: closed,
    body: {
      data: null,
      message: "Parameter verification failed.\n",
      errors: { vmid: "type check ('integer') failed - got ARRAY" },
    },
    at_ms: 0,
  },
  {
    ...token,
    id: "x-001",
    method: "GET",
    path: "/version",
    status: 200,
    reason: "OK",
    body: { data: version },
    at_ms: 0,
  },
  // Another type, a key that is not there, another status: none of them may pass.
  {
    ...token,
    id: "x-002",
    method: "GET",
    path: "/version",
    status: 200,
    reason: "OK",
    body: { data: { ...version, release: 9.2 } },
    at_ms: 10,
  },
  {
    ...token,
    id: "x-003",
    method: "GET",
    path: "/version",
    status: 200,
    reason: "OK",
    body: { data: { ...version, extra: 1 } },
    at_ms: 20,
  },
  {
    ...token,
    id: "x-004",
    method: "GET",
    path: "/version",
    status: 403,
    reason: "No",
    body: { data: null, message: "No\n" },
    at_ms: 30,
  },
  {
    ...token,
    id: "x-005",
    method: "POST",
    path: "/nodes/pvea/qemu",
    form: { vmid: 100 },
    status: 200,
    reason: "OK",
    body: { data: upid },
    at_ms: 40,
  },
  {
    ...token,
    id: "x-006",
    method: "GET",
    path: `/nodes/pvea/tasks/${encodeURIComponent(upid)}/log`,
    upid_of: "x-005",
    status: 200,
    reason: "OK",
    body: { data: [{ n: 1, t: "TASK OK" }], total: 1 },
    at_ms: 1000,
  },
  // A value that differs is told apart from a shape that differs.
  {
    ...token,
    id: "x-007",
    method: "GET",
    path: "/cluster/nextid",
    status: 200,
    reason: "OK",
    body: { data: "100" },
    at_ms: 1010,
  },
  {
    ...token,
    id: "x-008",
    method: "GET",
    path: "/nodes/pvea/rrddata",
    query: { timeframe: "hour" },
    status: 500,
    reason: "no RRD",
    body: "",
    at_ms: 1020,
    headers: closed,
  },
  {
    ...token,
    id: "x-009",
    method: "GET",
    path: "/nosuch",
    status: 501,
    reason: "Method 'GET /other' not implemented",
    body: { data: null, message: "Method 'GET /other' not implemented" },
    at_ms: 1030,
    headers: closed,
  },
];

describe("replay of recorded exchanges", () => {
  let folder: string;
  let runs: Run[];
  let outcomes: Outcome[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "replay-"));
    const path = join(folder, "exchanges.jsonl");
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    runs = await readRecording(path);
    const [run] = runs;
    assert.ok(run);
    outcomes = await replayRun(run, "9.2");
  });
  after(() => rm(folder, { recursive: true }));

  function verdictOf(id: string): Outcome["verdict"] {
    return outcomes.find(({ exchange }) => exchange.id === id)?.verdict ?? null;
  }

  it("splits a recording into runs", () => {
    assert.deepEqual(
      runs.map(({ name, exchanges }) => [name, exchanges.length]),
      [["x", rows.length]],
    );
  });

  const expected: [id: string, agreeing: boolean, kinds: string[]][] = [
    ["x-000", true, []],
    ["x-001", true, []],
    ["x-002", false, ["shape"]],
    ["x-003", false, ["shape"]],
    ["x-004", false, ["status", "text", "shape"]],
    ["x-005", true, []],
    ["x-006", true, []],
    ["x-007", true, ["values"]],
    ["x-009", false, ["text"]],
  ];
  for (const [id, agreeing, kinds] of expected) {
    it(`judges ${id}`, () => {
      const verdict = verdictOf(id);
      assert.ok(verdict);
      const found = Object.entries(verdict).flatMap(([kind, list]: [string, string[]]) =>
        list.length > 0 ? [kind] : [],
      );
      assert.deepEqual([agrees(verdict), found], [agreeing, kinds]);
    });
  }

  it("counts what it does not judge, with the reason", () => {
    const lines = reportLines(outcomes, { verbose: false });
    assert.match(lines.join("\n"), /total +10 +9 +5 +4\n/);
    assert.match(lines.join("\n"), /not judged: x-008 \(rrddata/);
  });
});
