// Moves between nodes whose tunnels are of different versions.
import assert from "node:assert/strict";
import { Pair, plainLog } from "./pair.js";

describe("remote migration between versions", () => {
  for (const type of ["qemu", "lxc"] as const)
    describe(type, () => {
      let pair: Pair;
      beforeEach(async () => {
        pair = await Pair.start();
      });
      afterEach(() => pair.close());

      const upgrade = (side: "source" | "target", change: object): unknown =>
        Object.assign([...pair[side].platform.state.nodes.values()][0] ?? {}, change);

      it("refuses the older target in the task, copies nothing, and leaves the guest that the tunnel was opened for", async () => {
        upgrade("source", { version: "9.3.1" });
        const guest = pair.place({ type, vmid: 100 });
        const { task, tunnel } = await pair.move(guest);
        assert.equal(task.exitstatus, "migration aborted");
        const log = plainLog(task);
        assert.deepEqual(log.slice(1, 4), [
          "local WS tunnel version: 3",
          "remote WS tunnel version: 2",
          "minimum required WS tunnel version: 2",
        ]);
        assert.match(log.join("\n"), /ERROR: migration aborted .*Remote tunnel endpoint too old, upgrade required/);
        assert.doesNotMatch(log.join("\n"), /found local/);
        assert.equal(guest.config.lock, undefined);
        assert.equal(tunnel?.exitstatus, "mtunnel exited unexpectedly");
        assert.deepEqual(pair.targetGuest(guest)?.config.lock, "create", "nobody has told the target to clean up");
      });

      it("moves to a newer one, whose tunnel is reported to understand the source", async () => {
        upgrade("target", { version: "9.3.1" });
        const { task } = await pair.move(pair.place({ type, vmid: 100 }));
        assert.equal(task.exitstatus, "OK");
        assert.deepEqual(plainLog(task).slice(1, 4), [
          "local WS tunnel version: 2",
          "remote WS tunnel version: 3",
          "minimum required WS tunnel version: 2",
        ]);
      });

      it("goes by the packages that are installed, not by the node's version", async () => {
        const name = type === "qemu" ? "qemu-server" : "pve-container";
        upgrade("source", { version: "9.3.1", packages: { [name]: type === "qemu" ? "9.2.7" : "6.1.14" } });
        const { task } = await pair.move(pair.place({ type, vmid: 100 }));
        assert.equal(task.exitstatus, "OK");
      });
    });
});
