// Logs of tasks: page by page from any line, to their end, however a host tells where that is.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { Cleanup, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";

const UPID = "UPID:pve2:00002ABD:0006832E:6B00EE7C:qmclone:9000:root@pam!panel:";

describe("hypervisor/proxmox/taskLog", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("reads a long log page by page, from any line", async () => {
    const total = 12_345;
    const { host, driver } = await scripted(cleanup, ({ query }) => {
      const start = Number(query["start"]);
      const length = Math.max(0, Math.min(Number(query["limit"]), total - start));
      return {
        data: Array.from({ length }, (_, index) => ({ n: start + index + 1, t: `line ${start + index}` })),
        total,
      };
    });
    const lines = await driver.taskLog(UPID, 100);
    assert.equal(lines.length, total - 100);
    assert.deepEqual([lines[0], lines.at(-1)], ["line 100", "line 12344"]);
    assert.deepEqual(
      host.arrivals.map(({ query }) => query["start"]),
      ["100", "5100", "10100"],
    );
  });

  it("reads a log to its end when no answer states how long it is, and once when every answer is the whole", async () => {
    const log = ["a", "b", "c", "d", "e"].map((t, index) => ({ n: index + 1, t }));
    const short = await scripted(cleanup, ({ query }) => ({
      data: log.slice(Number(query["start"]), Number(query["start"]) + 2),
    }));
    assert.equal((await short.driver.taskLog(UPID)).join(""), "abcde");
    const whole = await scripted(cleanup, () => ({ data: log }));
    assert.equal((await whole.driver.taskLog(UPID, 2)).join(""), "cde");
  });

  it("reads a log to its end when pages are shorter than it asks for, empty lines included", async () => {
    const log = ["first", "", "third", null, "TASK OK"];
    const { driver } = await scripted(cleanup, ({ query }) => {
      const start = Number(query["start"]);
      const page = log.slice(start, start + 2).map((t, index) => ({ n: String(start + index + 1), t }));
      return { data: start < log.length ? page : null, total: log.length };
    });
    assert.deepEqual(await driver.taskLog(UPID), ["first", "", "third", "", "TASK OK"]);
    assert.deepEqual(await driver.taskLog(UPID, 5), []);
  });

  it("reads no log for ever", async () => {
    const { driver } = await scripted(cleanup, ({ query }) => ({
      data: Array.from({ length: 5000 }, (_, index) => ({ n: Number(query["start"]) + index + 1, t: "more" })),
    }));
    assert.equal((await driver.taskLog(UPID)).length, 100_000);
  });

  it("reads an empty log, and refuses that of an unknown task", async () => {
    const empty = await scripted(cleanup, () => ({ data: [{ n: 1, t: "no content" }], total: 1 }));
    assert.deepEqual(await empty.driver.taskLog(UPID), []);
    const t = "unable to open file - No such file or directory";
    const unknown = await scripted(cleanup, () => ({ data: [{ n: 1, t }], total: 1 }));
    await refusal(unknown.driver.taskLog(UPID), PlatformReason.NOT_FOUND, "no such task");
  });
});
