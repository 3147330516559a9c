// Tests the directory indexes and what the resource list shows of the network.
import assert from "node:assert/strict";
import type { Release } from "../../../simulator/version.js";
import { Asker, standalone } from "../asking.js";

async function types(release: Release, parameters: Record<string, string>): Promise<unknown[]> {
  const rows = await new Asker(standalone({ release })).rows("GET /cluster/resources", parameters);
  return [...new Set(rows.map((row) => String(row.type)))].toSorted((a, b) => a.localeCompare(b));
}

describe("simulator: indexes", () => {
  it("MUST name paths by the column of their index", async () => {
    const asker = new Asker(standalone());
    assert.ok((await asker.rows("GET /access")).some((row) => row.subdir === "acl" && row.name === undefined));
    assert.ok((await asker.rows("GET /cluster")).some((row) => row.name === "bulk-action"));
    assert.ok((await asker.rows("GET /nodes/pvea/storage/local")).some((row) => row.subdir === "content"));
    const older = await new Asker(standalone({ release: "8.4" })).rows("GET /cluster");
    assert.ok(older.every((row) => row.name !== "bulk-action"));
  });

  it("MUST look for the guest where the real one does", async () => {
    const asker = new Asker(standalone());
    assert.equal((await asker.ask("GET /nodes/pvea/qemu/100")).status, 200);
    for (const [path, folder] of [
      ["qemu/100/status", "qemu-server"],
      ["lxc/100", "lxc"],
      ["lxc/100/status", "lxc"],
    ]) {
      const { status, message } = await asker.ask(`GET /nodes/pvea/${path}`);
      assert.equal(status, 500);
      assert.equal(message, `Configuration file 'nodes/pvea/${folder}/100.conf' does not exist`);
    }
  });

  it("MUST show the zone of plain bridges as each release does", async () => {
    assert.deepEqual(await types("7.4", {}), ["node", "storage"]);
    assert.deepEqual(await types("8.4", {}), ["node", "sdn", "storage"]);
    assert.deepEqual(await types("9.2", {}), ["network", "node", "storage"]);
    assert.deepEqual(await types("8.4", { type: "sdn" }), ["sdn"]);
    assert.deepEqual(await types("9.2", { type: "sdn" }), []);
  });
});
