// Tests that a container's lock file is held to the end of the tasks that start and stop it, and who waits for it.
import assert from "node:assert/strict";
import type { Release } from "../../../simulator/version.js";
import { Asker, standalone } from "../asking.js";

const container = "/nodes/pvea/lxc/200";
const refusal = "can't lock file '/run/lock/lxc/pve-config-200.lock' - got timeout";
const actions = ["stop", "shutdown", "suspend"];

/** Asks about a running container while something else holds its lock. */
async function whileHeld(release: Release, ask: (asker: Asker) => Promise<void>): Promise<void> {
  const asker = new Asker(standalone({ release }));
  await asker.makeContainer(200);
  await asker.run(`POST ${container}/status/start`);
  const gate = Promise.withResolvers<void>();
  const holding = asker.platform.locks.hold({ type: "lxc", vmid: 200 }, () => gate.promise);
  await ask(asker);
  gate.resolve();
  await holding;
}

describe("simulator: lock of a container", () => {
  it("MUST let power actions of one container wait for each other", async () => {
    const asker = new Asker(standalone({ timeFactor: 40 }));
    await asker.makeContainer(200);
    const { tasks, state } = asker.platform;
    await asker.run(`POST ${container}/status/start`);
    const shutdown = String(await asker.data(`POST ${container}/status/shutdown`));
    const stop = String(await asker.data(`POST ${container}/status/stop`));
    await tasks.settled(stop);
    assert.equal(state.guests.get(200)?.runtime, null);
    assert.equal(tasks.find(shutdown)?.exitstatus, "OK", "the stop comes after the shutdown");
    assert.deepEqual(tasks.find(stop)?.lines, ["trying to acquire lock...", " OK", "TASK OK"]);
  });

  it("MUST let features that are set while a new container starts wait for its next start", async () => {
    const asker = new Asker(standalone({ timeFactor: 40 }));
    await asker.makeContainer(200, { start: "1" });
    const { guests } = asker.platform.state;
    assert.equal(guests.get(200)?.runtime, null, "its creation ends before it runs");
    await asker.as("root@pam").data(`PUT ${container}/config`, { features: "keyctl=1" });
    assert.notEqual(guests.get(200)?.runtime, null, "the change waits for the start");
    const pending = (await asker.rows(`GET ${container}/pending`)).find(({ key }) => key === "features");
    assert.deepEqual(pending, { key: "features", pending: "keyctl=1" });
    assert.equal((await asker.record(`GET ${container}/config`, { current: "1" })).features, undefined);
  });

  it("MUST refuse power actions at once on 7.4 when the lock does not come free", () =>
    whileHeld("7.4", async (asker) => {
      for (const action of actions)
        assert.equal((await asker.ask(`POST ${container}/status/${action}`)).message, refusal, action);
    }));

  it("MUST let the tasks of power actions fail from 8.2 on when the lock does not come free", () =>
    whileHeld("8.4", async (asker) => {
      for (const action of actions) {
        const { exit, log } = await asker.run(`POST ${container}/status/${action}`);
        assert.deepEqual([exit, log[0]], [refusal, "trying to acquire lock..."], action);
      }
    }));
});
