// What a job waits for is told, once it is worth it, until the job goes on.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { graphql } from "graphql";
import { buildDroverSchema } from "../../../resolvers/buildSchema.js";
import { awaitAgent } from "../../../jobs/engine/agentWait.js";
import { runJob } from "../../../jobs/engine/executor.js";
import type { WaitObserver } from "../../../src/hypervisor/hypervisor.js";
import { Fenced } from "../../../jobs/engine/step.js";
import { Waits } from "../../../jobs/engine/waits.js";
import type { Waiting } from "../../../src/store/job/journal.js";
import { contextOf, managingToken } from "../../support/context.js";
import { eventually } from "../../support/eventually.js";
import { HandTime } from "../../support/handTime.js";
import { keptLog, silentLog } from "../../support/log.js";
import { changedHosts } from "../changedHosts.js";
import { machineRequest, openStage, queueGuest } from "../creation.js";
import { executorFor } from "../migration/stage.js";

const AWAY = "Host pvea is unreachable";

/** What a job would write down. */
const noted = async (work: (waits: Waits) => void): Promise<(readonly [number | null, string] | null)[]> => {
  const written: (Waiting | null)[] = [];
  const write = (waiting: Waiting | null): Promise<void> => {
    written.push(waiting);
    return Promise.resolve();
  };
  const waits = new Waits(write, { log: silentLog, stopwatch: new HandTime() });
  work(waits);
  await waits.settled();
  return written.map((waiting) => waiting && ([waiting.hostId, waiting.reason] as const));
};

describe("what a job waits for", () => {
  it("is not reported when it passes within a second", async () => {
    const written = await noted((waits) => {
      waits.forHost(1).waits(AWAY, 999);
      waits.forHost(1).goesOn();
    });
    assert.deepEqual(written, []);
  });

  it("is reported from a pause of a second on, and that it is over", async () => {
    const first = noted((waits) => waits.forHost(1).waits(AWAY, 1000));
    assert.deepEqual(await first, [[1, AWAY]]);
    const ended = await noted((waits) => {
      waits.forHost(1).waits(AWAY, 1000);
      waits.forHost(1).goesOn();
      waits.goesOn();
    });
    assert.equal(ended.at(-1), null);
  });

  it("is over for everybody, however short its last pause was", async () => {
    const ended = await noted((waits) => {
      waits.forHost(1).waits(AWAY, 1000);
      waits.forHost(1).waits(AWAY, 500);
      waits.forHost(1).goesOn();
    });
    assert.equal(ended.at(-1), null);
  });

  it("is not over when another host answers", async () => {
    const written = await noted((waits) => {
      waits.forHost(1).waits(AWAY, 2000);
      waits.forHost(2).goesOn();
    });
    assert.deepEqual(written, [[1, AWAY]]);
  });

  it("stays the host's when the whole work is tried again, and is no host's when the host had answered", async () => {
    const still = await noted((waits) => {
      waits.forHost(1).waits(AWAY, 2000);
      waits.waits(AWAY, 4000);
    });
    assert.deepEqual(still.at(-1), [1, AWAY]);
    const other = await noted((waits) => {
      waits.forHost(1).waits(AWAY, 2000);
      waits.forHost(1).goesOn();
      waits.waits("VM 100 is locked (backup)", 4000);
    });
    assert.deepEqual(other.at(-1), [null, "VM 100 is locked (backup)"]);
  });

  it("is written one at a time, the last of what came meanwhile, and all before the job is left", async () => {
    const writes: { reason: string | undefined; end: () => void }[] = [];
    const write = (waiting: Waiting | null) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      writes.push({ reason: waiting?.reason, end: resolve });
      return promise;
    };
    const waits = new Waits(write, { log: silentLog, stopwatch: new HandTime() });
    for (const reason of ["first", "second", "third"]) waits.waits(reason, 1_000);
    let isSettled = false;
    const settled = waits.settled().then(() => (isSettled = true));
    await turn();
    assert.deepEqual([writes.map(({ reason }) => reason), isSettled], [["first"], false]);
    writes[0]?.end();
    await turn();
    assert.deepEqual([writes.map(({ reason }) => reason), isSettled], [["first", "third"], false]);
    writes[1]?.end();
    await settled;
    waits.waits("later", 1_000);
    assert.equal(writes.length, 3);
  });

  it("has been lasting since it was first met, whatever its reason is now", async () => {
    const lasting: number[] = [];
    const stopwatch = new HandTime();
    const write = async (waiting: Waiting | null): Promise<void> => void lasting.push(waiting?.sinceMsAgo ?? -1);
    const waits = new Waits(write, { log: silentLog, stopwatch });
    stopwatch.move(500);
    waits.waits("locked", 1_000);
    await waits.settled();
    stopwatch.move(3_000);
    waits.waits("away", 1_000);
    await waits.settled();
    assert.deepEqual(lasting, [0, 3_000]);
  });

  it("has a line of the log where it could not be recorded, but not where another worker has the job", async () => {
    const refusals = [new Error("Connection terminated"), new Fenced("lost")];
    const { log, lines } = keptLog();
    const waits = new Waits(() => Promise.reject(refusals.shift() ?? assert.fail()), {
      log,
      stopwatch: new HandTime(),
    });
    for (const reason of ["away", "still away"]) {
      waits.waits(reason, 1_000);
      await waits.settled();
    }
    assert.deepEqual(lines, ["warn: a wait of a job could not be recorded"]);
  });

  it("is a node's agent, once its answer takes long", async () => {
    const stopwatch = new HandTime();
    const heard: string[] = [];
    const waiting: WaitObserver = {
      waits: (reason, pauseMs) => void heard.push(`${reason}, for ${pauseMs} ms`),
      goesOn: () => void heard.push("goes on"),
    };
    const wait = { reason: "the agent of pvea has not unlocked guest 100 yet", timeoutMs: 90_000 };
    assert.equal(await awaitAgent({ waiting, stopwatch }, wait, () => Promise.resolve("at once")), "at once");
    assert.deepEqual(heard.splice(0), ["goes on"]);
    const answer = Promise.withResolvers<string>();
    const waits = awaitAgent({ waiting, stopwatch }, wait, () => answer.promise);
    stopwatch.move(999);
    assert.deepEqual(heard, []);
    stopwatch.move(1);
    answer.resolve("done");
    assert.equal(await waits, "done");
    assert.deepEqual(heard, [`${wait.reason}, for 89000 ms`, "goes on"]);
  });

  it("is seen in the job while it runs", async function () {
    this.timeout(300_000);
    const stage = await openStage();
    const { services } = stage;
    try {
      const { jobId } = await queueGuest(stage, machineRequest(stage));
      const held = Promise.withResolvers<void>();
      const hypervisors = changedHosts(services.hypervisors, (host, observer) => ({
        growSystemDisk: async (...call) => {
          observer?.waits(AWAY, 4000);
          await held.promise;
          observer?.goesOn();
          return host.growSystemDisk(...call);
        },
      }));
      const schema = buildDroverSchema();
      const job = async (): Promise<Record<string, unknown>> => {
        const source = `{ job(id: ${jobId}) { status error waitingFor { hostId reason since triesAgainAt } } }`;
        const { data } = await graphql({ schema, source, contextValue: contextOf(services, managingToken()) });
        return JSON.parse(JSON.stringify(data)).job;
      };
      const running = runJob(executorFor({ ...services, hypervisors }), jobId);
      await eventually(async () => assert.notEqual((await job())["waitingFor"], null));
      const { since, triesAgainAt, ...told } = Object(await job()).waitingFor;
      assert.deepEqual(told, { hostId: stage.hostId, reason: AWAY });
      assert.ok(Date.parse(triesAgainAt) - Date.parse(since) >= 4000, `${since} to ${triesAgainAt}`);
      held.resolve();
      await running;
      assert.deepEqual(await job(), { status: "DONE", error: null, waitingFor: null });
    } finally {
      await stage.close();
    }
  });
});
