// Places of creations: a reseller's are on his nodes, and each has what the guest is made from.
import assert from "node:assert/strict";
import * as creationPlaces from "../../src/store/creationPlace.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { plant, type Rows } from "../support/rows.js";

const VOLID = "local:vztmpl/debian-12.tar.zst";

/** Jobs of a reseller, of an admin and of the service itself. The reseller has pve1 and, on another host, pve9. */
const ROWS: Rows = {
  user_account: [
    { username: "ann", role: "reseller" },
    { username: "bob", role: "admin" },
  ],
  host: [{ name: "alpha" }, { name: "beta" }],
  node: [{ name: "pve1" }, { name: "pve2" }, { host_id: 2, name: "pve9" }],
  reseller_node: [{ node_id: 1 }, { node_id: 3 }],
  node_file: [
    { node_id: 1, volid: "local:iso/debian-12.iso", content: "iso" },
    { node_id: 2 },
    { node_id: 3, volid: "local:vztmpl/alpine.tar.zst" },
  ],
  os_template: [{ node_id: 1 }, { node_id: 2, vmid: 9001, active: false }, { host_id: 2, node_id: 3 }],
  job: [{ created_by_user: 1 }, { created_by_user: 2 }, {}],
  capacity_reservation: [
    { job_id: 1, node_id: 1, storage: "local" },
    { job_id: 2, node_id: 2, storage: "local" },
    { job_id: 3, node_id: 3, storage: "local" },
  ],
};

const OF_FILE = { volid: VOLID, templateId: null };
const ofTemplate = (templateId: number) => ({ volid: null, templateId });

/** Which nodes have the image. */
const images = (pve1: boolean, pve2: boolean) => ({ pve1, pve2 });

describe("store/creationPlace", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await plant(database.pool, ROWS);
  });
  afterEach(() => database.close());

  const permitted = async (jobId: number): Promise<string[]> => {
    const nodes = await creationPlaces.nodesFor(database.pool, 1, { jobId, ...OF_FILE });
    return nodes.filter((node) => node.permitted).map(({ node }) => node);
  };
  const imagesOf = async (asked: Omit<creationPlaces.CreationWithImage, "jobId">): Promise<unknown> => {
    const nodes = await creationPlaces.nodesFor(database.pool, 1, { jobId: 2, ...asked });
    return Object.fromEntries(nodes.map(({ node, hasImage }) => [node, hasImage]));
  };

  it("permits a reseller the nodes that are assigned to him, and any other author all of the host", async () => {
    assert.deepEqual((await permitted(1)).toSorted(), ["pve1"]);
    assert.deepEqual((await permitted(2)).toSorted(), ["pve1", "pve2"]);
    assert.deepEqual((await permitted(3)).toSorted(), ["pve1", "pve2"]);
  });

  it("finds a file where it is a template, and a template on its own node while it is in use", async () => {
    assert.deepEqual(await imagesOf(OF_FILE), images(false, true));
    assert.deepEqual(await imagesOf({ volid: "local:iso/debian-12.iso", templateId: null }), images(false, false));
    assert.deepEqual(await imagesOf(ofTemplate(1)), images(true, false));
    assert.deepEqual(await imagesOf(ofTemplate(2)), images(false, false));
    assert.deepEqual(await imagesOf(ofTemplate(3)), images(false, false));
  });

  it("reports of reserved room on a host whether it may be used, by both conditions", async () => {
    const usable = async (asked: readonly creationPlaces.CreationWithImage[]) => {
      const reserved = await creationPlaces.reserved(database.pool, 1, asked);
      return Object.fromEntries(reserved.map((one) => [one.jobId, one.usable]));
    };
    const third = { jobId: 3, ...ofTemplate(3) };
    assert.deepEqual(await usable([{ jobId: 1, ...ofTemplate(1) }, { jobId: 2, ...OF_FILE }, third]), {
      1: true,
      2: true,
    });
    assert.deepEqual(
      await usable([
        { jobId: 1, ...OF_FILE },
        { jobId: 2, ...ofTemplate(1) },
      ]),
      { 1: false, 2: false },
    );
    await database.pool.query("delete from reseller_node where node_id = 1");
    assert.deepEqual(await usable([{ jobId: 1, ...ofTemplate(1) }]), { 1: false });
  });
});
