// A host of 2,000 guests: time and statements of a sync are bounded.
import assert from "node:assert/strict";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { countStatements } from "../support/statements.js";
import { Site } from "./support/site.js";

const GUESTS = 2000;
/** However many guests there are. */
const MOST_STATEMENTS = 25;
const COUNTS = "select count(*) as guests, count(identity) as read from guest";

describe("a sync of 2,000 guests", () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(() => site.close());

  it("needs no more statements than a small one, and writes nothing twice", async function () {
    this.timeout(1_800_000);
    const pve = await site.connect();
    for (let index = 0; index < GUESTS; index++) {
      const plan = {
        type: "qemu",
        status: "stopped",
        node: "pvea",
        memory: 512,
        cores: 1,
        diskGb: 1,
        snapshots: [],
      } as const;
      const config = { ipconfig0: `ip=10.0.${index >> 8}.${index & 255}/16` };
      placeGuest(pve.host.platform, { ...plan, vmid: 1000 + index, name: `g${index}`, config });
    }
    const synced = async (): Promise<void> => assert.ok((await countStatements(() => pve.sync())) <= MOST_STATEMENTS);
    const read = () => site.row<{ guests: number; read: number }>(COUNTS);
    await synced();
    assert.equal((await read())?.guests, GUESTS);
    // What a slow host has not answered in time is read by the next syncs.
    while ((await read())?.read !== GUESTS) await synced();
    const written = () => site.rows("select vmid, xmin::text from guest order by vmid");
    const before = await written();
    await synced();
    assert.deepEqual(await written(), before, "a sync that finds nothing new wrote no guest");
  });
});
