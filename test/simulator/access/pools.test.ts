// Tests what is asked of pools: the list, one of them with its members, and who may see which, in each release.
import assert from "node:assert/strict";
import type { Release } from "../../../simulator/version.js";
import { Asker, panel, standalone } from "../asking.js";

const reader = "watcher@pve";

/** A platform with a pool of a VM, a container and a storage, and one that is empty. */
async function pooled(release: Release): Promise<Asker> {
  const platform = standalone({ release });
  const asker = new Asker(platform);
  await asker.data("POST /pools", { poolid: "web", comment: "customers" });
  await asker.data("POST /pools", { poolid: "idle" });
  await asker.makeVm(100, { pool: "web" });
  await asker.makeContainer(101, { pool: "web" });
  platform.state.access.pools.get("web")?.storages.add("local");
  await asker.data("POST /access/users", { userid: reader });
  return asker;
}

const members = (row: Record<string, unknown> | undefined): unknown[] =>
  Array.isArray(row?.members) ? row.members.map((member) => member.id) : [];

describe("simulator: pools", () => {
  it("MUST answer the query for one pool with that pool and its members", async () => {
    const asker = await pooled("9.2");
    const rows = await asker.rows("GET /pools", { poolid: "web" });
    assert.equal(rows.length, 1);
    assert.equal(rows[0]?.poolid, "web");
    assert.equal(rows[0]?.comment, "customers");
    assert.deepEqual(members(rows[0]), ["qemu/100", "lxc/101", "storage/pvea/local"]);
    assert.deepEqual(members((await asker.rows("GET /pools", { poolid: "web", type: "lxc" }))[0]), ["lxc/101"]);
    assert.deepEqual(await asker.rows("GET /pools", { poolid: "idle" }), [{ poolid: "idle", members: [] }]);
    assert.deepEqual(await asker.rows("GET /pools"), [{ poolid: "idle" }, { poolid: "web", comment: "customers" }]);
  });

  it("MUST refuse a pool that is not there, and a type without a pool", async () => {
    const asker = await pooled("9.2");
    const missing = { status: 500, message: "pool 'gone' does not exist" };
    assert.deepEqual(await asker.ask("GET /pools", { poolid: "gone" }), missing);
    assert.deepEqual(await asker.ask("GET /pools/gone"), missing);
    assert.equal((await asker.ask("GET /pools", { type: "qemu" })).status, 400);
  });

  it("MUST have no such query in 7.4, where the pool's own path has its members", async () => {
    const asker = await pooled("7.4");
    const { status, errors } = await asker.ask("GET /pools", { poolid: "web" });
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(errors ?? {}), ["poolid"]);
    const pool = await asker.record("GET /pools/web", { type: "storage" });
    assert.equal(pool.comment, "customers");
    assert.deepEqual(members(pool), ["storage/pvea/local"]);
  });

  it("MUST show a pool to a user who may audit it, and to no other", async () => {
    const asker = await pooled("9.2");
    const refused = { status: 403, message: "Permission check failed (/pool/web, Pool.Audit)" };
    assert.deepEqual(await asker.as(reader).ask("GET /pools", { poolid: "web" }), refused);
    assert.deepEqual(await asker.as(reader).ask("GET /pools/web"), refused);
    assert.deepEqual(await asker.as(reader).rows("GET /pools"), []);
    await asker.as(panel).data("PUT /access/acl", { path: "/pool/web", roles: "PVEPoolUser", users: reader });
    assert.deepEqual(members((await asker.as(reader).rows("GET /pools", { poolid: "web" }))[0]).length, 3);
  });
});
