// A host of 2,000 guests: time and statements of a sync are bounded.
import assert from "node:assert/strict";
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { countStatements } from "../support/statements.js";
import { Site } from "./support/site.js";

const GUESTS = 2000;
/** However many guests there are. */
const MOST_STATEMENTS = 25;

describe("a sync of 2,000 guests", () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(() => site.close());

  it("needs no more statements than a small one, and writes nothing twice", async function () {
    this.timeout(400_000);
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
    await synced();
    assert.deepEqual(await site.row("select count(*) as guests, count(identity) as read from guest"), {
      guests: GUESTS,
      read: GUESTS,
    });
    await synced();
    const changed = await site.rows(
      "select from guest where xmin::text <> (select xmin::text from guest where vmid = 1000)",
    );
    assert.equal(changed.length, 0, "the second sync wrote no guest");
  });
});
