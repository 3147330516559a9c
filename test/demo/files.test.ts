// Checks that demo.json tells only what was published, and all of it at once.
import assert from "node:assert/strict";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DemoFiles } from "../../demo/files.js";

describe("demo/files", () => {
  let directory: string;
  let files: DemoFiles;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "drover-demo-files-"));
    files = new DemoFiles(directory);
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const shown = async (): Promise<unknown> => JSON.parse(await readFile(join(directory, "demo.json"), "utf8"));

  it("shows nothing while the demo comes up, then everything that is known", async () => {
    await files.change({ url: "http://127.0.0.1:4000" });
    const known = await files.change({ apiToken: "drv_x" });
    await assert.rejects(access(join(directory, "demo.json")), { code: "ENOENT" });
    await files.publish();
    assert.deepEqual(await shown(), known);
    assert.equal(known.url, "http://127.0.0.1:4000");
  });

  it("loses nothing when several processes add to it at once", async () => {
    const others = Array.from({ length: 8 }, () => new DemoFiles(directory));
    await Promise.all(
      others.map((each, id) => each.change(({ scopedHostIds }) => ({ scopedHostIds: [...scopedHostIds, id] }))),
    );
    assert.deepEqual(
      (await files.describe()).scopedHostIds.toSorted((one, other) => one - other),
      [0, 1, 2, 3, 4, 5, 6, 7],
    );
  });

  it("goes on showing what worked until the next is whole", async () => {
    await files.change({ url: "http://127.0.0.1:4000" });
    await files.publish();
    const before = await shown();
    await files.change({ url: "http://127.0.0.1:4001" });
    assert.deepEqual(await shown(), before);
  });

  it("distinguishes a folder that holds other data from an empty one and its own", async () => {
    assert.equal(await files.areForeign(), false);
    await writeFile(join(directory, "secret"), "a service's own");
    assert.equal(await files.areForeign(), true);
    await files.platformSecrets();
    assert.equal(await files.areForeign(), false);
  });

  it("has its credentials when demo.json was removed", async () => {
    await files.change({ admin: { username: "admin", password: "secret" } });
    await files.publish();
    await rm(join(directory, "demo.json"));
    assert.equal((await new DemoFiles(directory).describe()).admin.password, "secret");
  });
});
