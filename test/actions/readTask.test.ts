// What is said of a task of the platform, and how its host's refusals are passed on.
import assert from "node:assert/strict";
import { readTask } from "../../src/actions/readTask.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { TaskWork, type TaskStatus } from "../../src/hypervisor/task.js";
import { contextOf, tokenViewer } from "../support/context.js";
import { refusedAs } from "../support/refusal.js";
import { createTestServices, noPlatform, type TestServices } from "../support/services.js";
import { tinyHost } from "../support/tinyPlatform.js";

const UPID_TEXT = "UPID:pve1:0000A1B2:00C3D4E5:66000000:qmstart:100:root@pam:";
const TASK: TaskStatus = {
  upid: UPID_TEXT,
  node: "pve1",
  type: "qmstart",
  work: TaskWork.START,
  targetId: "100",
  user: "root@pam",
  running: false,
  exitStatus: "OK",
  succeeded: true,
  startedAt: new Date(0),
  endedAt: new Date(1),
};

const refused = (reason: PlatformReason) => () => Promise.reject(platformError(reason, "no"));
const known = () => Promise.resolve(TASK);

describe("actions/readTask", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
  });
  after(() => services.close());

  /** @param task the host's answer */
  function read(task: Hypervisor["task"], question: { readonly node?: string; readonly withLog?: boolean } = {}) {
    const { hypervisor } = tinyHost("pve1", new Map());
    const host: Hypervisor = { ...hypervisor, task, taskLog: () => Promise.resolve(["starting", "TASK OK"]) };
    const context = contextOf(
      { ...services, hypervisors: { ...noPlatform, prompt: () => Promise.resolve(host) } },
      tokenViewer(),
    );
    return readTask(context, { hostId: 1, node: "pve1", upid: UPID_TEXT, withLog: false, ...question });
  }

  it("answers with the task, and with its log where that is asked for", async () => {
    assert.deepEqual(await read(known), { ...TASK, log: [] });
    assert.deepEqual(await read(known, { withLog: true }), { ...TASK, log: ["starting", "TASK OK"] });
  });

  it("does not find a task that the host does not know, or that another node runs", async () => {
    await refusedAs("notFound", read(refused(PlatformReason.NOT_FOUND)));
    await refusedAs("notFound", read(known, { node: "pve2" }));
    await refusedAs("notFound", read(known, { node: "pve1/.." }));
  });

  it("reports a host that does not answer, instead of a task that is not there", async () => {
    for (const reason of [PlatformReason.UNREACHABLE, PlatformReason.FORBIDDEN]) {
      assert.equal((await refusedAs("platform", read(refused(reason)))).message, "no");
    }
  });
});
