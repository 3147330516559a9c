// Tasks: state, lists, and following one to its end through everything that may happen on the way.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { eventually } from "../../support/eventually.js";
import { LeapingTime } from "../../support/handTime.js";
import { Cleanup, connected, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import { startScriptedHost, type Arrival, type Script } from "../support/scriptedHost.js";

const UPID = "UPID:pve2:00002ABD:0006832E:6B00EE7C:qmclone:9000:root@pam!panel:";
const START = 0x6b00ee7c;
const TASK = {
  upid: UPID,
  node: "pve2",
  type: "qmclone",
  id: "9000",
  user: "root@pam",
  tokenid: "panel",
  pid: 10941,
  pstart: 426798,
  starttime: START,
};
const RUNNING = { data: { ...TASK, status: "running" } };
const NO_SUCH_TASK: Script = {
  status: 400,
  reason: "Parameter verification failed.",
  body: { data: null, errors: { upid: "no such task" }, message: "Parameter verification failed.\n" },
};
const ended = (exitstatus: string) => ({ data: { ...TASK, status: "stopped", exitstatus } });

/** Answers looks at the task one after the other, the last for ever, and knows when it ended. */
const taskThat = (...looks: readonly Script[]) => {
  let look = 0;
  return ({ path }: Arrival): Script => {
    if (path.endsWith("/tasks")) return { data: [{ ...TASK, status: "OK", endtime: START + 9 }] };
    return looks[Math.min(look++, looks.length - 1)] ?? "hang";
  };
};

/** Looks and repetitions come at once; the limit of one call is never reached. */
const leaping = (): LeapingTime => new LeapingTime(10_000);
const briefly = () => ({ patienceMs: 600, credentialMs: 600, stopwatch: leaping() });

describe("hypervisor/proxmox/tasks", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("asks the node that the id names, and finds out when the task ended", async () => {
    const { host, driver } = await scripted(cleanup, taskThat(ended("OK")));
    assert.deepEqual(await driver.task(UPID), {
      upid: UPID,
      node: "pve2",
      type: "qmclone",
      work: "other",
      targetId: "9000",
      user: "root@pam!panel",
      running: false,
      exitStatus: "OK",
      succeeded: true,
      startedAt: new Date(START * 1000),
      endedAt: new Date((START + 9) * 1000),
    });
    assert.equal(host.arrivals[0]?.path, `/api2/json/nodes/pve2/tasks/${encodeURIComponent(UPID)}/status`);
    assert.deepEqual(host.arrivals[1]?.query, { source: "all", since: `${START}`, until: `${START}`, limit: "500" });
  });

  const outcomes: [string, boolean, string | null][] = [
    ["OK", true, null],
    ["WARNINGS: 3", true, null],
    ["WARNINGS: many", false, PlatformReason.REFUSED],
    ["VM is locked (migrate)", false, PlatformReason.LOCKED],
    ["unable to create CT 101 - CT 101 already exists on node 'pve1'", false, PlatformReason.EXISTS],
    ["unable to find configuration file for VM 7777 on node 'pve1'", false, PlatformReason.NOT_FOUND],
    ["unexpected status", false, PlatformReason.REFUSED],
  ];
  for (const [exitStatus, succeeded, failure] of outcomes) {
    it(`follows a task to ${exitStatus}`, async () => {
      const { driver } = await scripted(cleanup, taskThat(RUNNING, RUNNING, ended(exitStatus)));
      const outcome = await driver.waitForTask(UPID);
      assert.deepEqual([outcome.exitStatus, outcome.succeeded, outcome.failure], [exitStatus, succeeded, failure]);
    });
  }

  it("takes from the task's id what the answer leaves out", async () => {
    const { driver } = await scripted(cleanup, () => ({ data: { status: "running" } }));
    assert.deepEqual(await driver.task(UPID), {
      upid: UPID,
      node: "pve2",
      type: "qmclone",
      work: "other",
      targetId: "9000",
      user: "root@pam!panel",
      running: true,
      exitStatus: null,
      succeeded: false,
      startedAt: new Date(START * 1000),
      endedAt: null,
    });
    const list = await scripted(cleanup, () => ({ data: [{ upid: UPID, status: "OK\n", endtime: START + 2 }] }));
    assert.deepEqual(
      (await list.driver.recentTasks()).map(({ type, user, exitStatus }) => [type, user, exitStatus]),
      [["qmclone", "root@pam!panel", "OK"]],
    );
  });

  it("names the host and the field of a task whose state is not reported", async () => {
    const { driver } = await scripted(cleanup, () => ({ data: TASK }), briefly());
    const words = /pvea to .* makes no sense: status: expected a text/;
    await refusal(driver.waitForTask(UPID), PlatformReason.UNINTELLIGIBLE, words);
  });

  it("reads task ids of old hosts and of users with any name", async () => {
    for (const id of [
      "UPID:pve-2:00002ABD:10006832E:6B00EE7C:qmclone:9000:root@pam:",
      "UPID:pve-2:3FFFFFFF1:1000683200:6b00ee7c:hastart:9000:first.last+x@corp-AD.example!tok_en.1:",
    ]) {
      const { driver } = await scripted(cleanup, taskThat({ data: { status: "stopped", exitstatus: "OK " } }));
      assert.equal((await driver.waitForTask(id)).succeeded, true);
    }
  });

  const lastWords: [string, boolean, string][] = [
    ["TASK OK", true, "OK"],
    ["TASK WARNINGS: 2", true, "WARNINGS: 2"],
    ["TASK ERROR: CT is locked (backup)", false, "CT is locked (backup)"],
    ["killed", false, "unknown"],
  ];
  for (const [line, succeeded, exitStatus] of lastWords) {
    it(`reads the log's end, ${line}, where the state does not show how the task ended`, async () => {
      const log = {
        data: [
          { n: 1, t: "first" },
          { n: 2, t: line },
        ],
        total: 2,
      };
      const { driver } = await scripted(cleanup, ({ path }) =>
        path.endsWith("/log") ? log : { data: { ...TASK, status: "stopped" } },
      );
      const outcome = await driver.waitForTask(UPID);
      assert.deepEqual([outcome.succeeded, outcome.exitStatus], [succeeded, exitStatus]);
    });
  }

  it("follows a task through breaks, time-outs of the node, pages of a proxy and a host that is dead for a while", async () => {
    const page: Script = { raw: (response) => response.end("<html><body>Back in a minute</body></html>") };
    const away: Script = { status: 595, reason: "No route to host" };
    const late: Script = { status: 596, reason: "Connection timed out" };
    const fault: Script = { status: 500, reason: "got timeout" };
    const broken = [...Array.from({ length: 6 }, () => "drop" as const), ...Array.from({ length: 6 }, () => fault)];
    const looks = [RUNNING, ...broken, away, away, away, late, page, { data: null }, page, RUNNING];
    const settings = { firstProbeMs: 10, longestProbeMs: 20, stopwatch: leaping() };
    const { driver } = await scripted(cleanup, taskThat(...looks, ended("OK")), settings);
    assert.equal((await driver.waitForTask(UPID)).succeeded, true);
  });

  it("gives up a host that goes on failing to report how the task stands", async () => {
    const fault: Script = { status: 500, reason: "got timeout" };
    const { driver } = await scripted(cleanup, taskThat(RUNNING, fault), briefly());
    await refusal(driver.waitForTask(UPID), PlatformReason.FAILED, "got timeout");
  });

  it("reports a task that the platform does not have as an error, never as a success", async () => {
    const { driver } = await scripted(cleanup, taskThat(RUNNING, NO_SUCH_TASK));
    await refusal(driver.waitForTask(UPID), PlatformReason.NOT_FOUND, "no such task");
  });

  it("gives up when the time is over, and reports what it saw last", async () => {
    const running = await scripted(cleanup, taskThat(RUNNING), { stopwatch: leaping() });
    const waited = running.driver.waitForTask(UPID, { timeoutMs: 1000 });
    await refusal(waited, PlatformReason.UNCERTAIN, "it is still running");
    const gone = await startScriptedHost(() => RUNNING);
    await gone.close();
    const driver = connected(cleanup, gone.connection, { stopwatch: leaping() });
    await refusal(driver.waitForTask(UPID, { timeoutMs: 60 }), PlatformReason.UNCERTAIN, "unreachable");
  });

  it("looks less and less often", async () => {
    const time = leaping();
    const settings = { firstPollMs: 16, longestPollMs: 80, stopwatch: time };
    const { host, driver } = await scripted(cleanup, taskThat(RUNNING), settings);
    await refusal(driver.waitForTask(UPID, { timeoutMs: 350 }), PlatformReason.UNCERTAIN);
    assert.deepEqual(time.pauses, [16, 24, 36, 54, 80, 80, 60]);
    assert.equal(host.arrivals.length, 8);
  });

  it("stops waiting when it is aborted, with the reason that it was given", async () => {
    const { host, driver } = await scripted(cleanup, taskThat(RUNNING));
    const controller = new AbortController();
    const reason = new Error("lease lost");
    const waiting = driver.waitForTask(UPID, { signal: controller.signal });
    await eventually(() => Promise.resolve(assert.ok(host.arrivals.length > 1)));
    controller.abort(reason);
    await assert.rejects(waiting, reason);
    await assert.rejects(driver.waitForTask(UPID, { signal: controller.signal }), reason);
  });

  const shut: readonly Script[] = [
    { status: 401, reason: "ipcc_send_rec[1] failed: Connection refused" },
    { status: 401, reason: "no such token 'panel' for user 'root@pam'" },
    { status: 403, reason: "Permission check failed (/nodes/pve2, Sys.Audit)" },
  ];

  it("follows a task on when the host's access control is away for a moment, or a new credential was given", async () => {
    const looks = [RUNNING, ...shut, ...shut, RUNNING, ...shut, ended("OK")];
    const { driver } = await scripted(cleanup, taskThat(...looks), { credentialMs: 60_000, stopwatch: leaping() });
    assert.equal((await driver.waitForTask(UPID)).succeeded, true);
  });

  it("gives up a host that goes on refusing the credential, and reports that the task may go on", async () => {
    const revoked = await scripted(cleanup, taskThat(RUNNING, ...shut.slice(0, 2)), briefly());
    const words =
      /^Gave up waiting for UPID:.*, which may go on by itself: node pve2 of host \S+ refuses the credential: no such token/;
    await refusal(revoked.driver.waitForTask(UPID), PlatformReason.AUTHENTICATION, words);
    const forbidden = await scripted(cleanup, taskThat(RUNNING, ...shut), briefly());
    await refusal(forbidden.driver.waitForTask(UPID), PlatformReason.FORBIDDEN, "Permission check failed");
  });

  for (const bad of ["", "UPID:pve1:nonsense", "UPID:../x:00002ABD:0006832E:6B00EE7C:qmclone:9000:root@pam:"]) {
    it(`sends nothing for the task id "${bad}"`, async () => {
      const { host, driver } = await scripted(cleanup, () => RUNNING);
      for (const ask of [driver.task(bad), driver.taskLog(bad), driver.waitForTask(bad), driver.stopTask(bad)]) {
        await refusal(ask, PlatformReason.NOT_FOUND, "No such task");
      }
      assert.equal(host.arrivals.length, 0);
    });
  }

  it("reads active rows, which name the user differently, and leaves out what has ended", async () => {
    const { host, driver } = await scripted(cleanup, () => ({
      data: [
        { ...TASK, user: "root@pam!panel", tokenid: undefined, status: "RUNNING", saved: "0" },
        { ...TASK, status: "OK", endtime: START + 1 },
      ],
    }));
    const tasks = await driver.activeTasks("pve2", 9000);
    assert.deepEqual(
      tasks.map(({ user, running, exitStatus }) => [user, running, exitStatus]),
      [["root@pam!panel", true, null]],
    );
    assert.deepEqual(host.arrivals[0]?.query, { source: "active", vmid: "9000" });
  });

  it("leaves out tasks of other guests, and takes a target that is not stated from the task's id", async () => {
    const { id: _id, ...unnamed } = TASK;
    const other = { ...TASK, upid: UPID.replace(":9000:", ":9001:"), id: "9001" };
    const { driver } = await scripted(cleanup, () => ({ data: [unnamed, other] }));
    const tasks = await driver.guestTasks("pve2", 9000);
    assert.deepEqual(
      tasks.map(({ upid, targetId }) => [upid, targetId]),
      [[UPID, "9000"]],
    );
  });

  it("reads recent tasks of every node, newest first; a running one has no status", async () => {
    const { driver } = await scripted(cleanup, () => ({
      data: [
        {
          ...TASK,
          upid: UPID.replace(":9000:", "::"),
          starttime: START,
          status: "OK",
          endtime: String(START + 1),
          saved: "1",
          id: "",
        },
        { ...TASK, starttime: START + 5, saved: 0 },
      ],
    }));
    const tasks = await driver.recentTasks();
    assert.deepEqual(
      tasks.map(({ running, targetId, startedAt }) => [running, targetId, startedAt.getTime() / 1000 - START]),
      [
        [true, "9000", 5],
        [false, null, 0],
      ],
    );
  });

  it("reports how a task ended of which no list states when", async () => {
    const { driver } = await scripted(cleanup, ({ path }) =>
      path.endsWith("/tasks") ? { status: 501, reason: "Method not implemented" } : ended("OK"),
    );
    const { exitStatus, endedAt } = await driver.task(UPID);
    assert.deepEqual([exitStatus, endedAt], ["OK", null]);
  });

  it("has no recent tasks of a host that does not list them", async () => {
    const { driver } = await scripted(cleanup, () => ({ status: 501, reason: "Method not implemented" }));
    assert.deepEqual(await driver.recentTasks(), []);
  });

  it("stops a task", async () => {
    const { host, driver } = await scripted(cleanup, () => ({ data: null }));
    await driver.stopTask(UPID);
    const [arrival] = host.arrivals;
    assert.deepEqual([arrival?.method, arrival?.body], ["DELETE", ""]);
    assert.equal(arrival?.path, `/api2/json/nodes/pve2/tasks/${encodeURIComponent(UPID)}`);
  });
});
