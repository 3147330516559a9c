// A host is evacuated in the panel, and the evacuation is stopped on the way.
import assert from "node:assert/strict";
import { agree, panel } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";
import { picture } from "../support/picture.js";
import { whileCopyingIsSlow } from "./pace.js";

/** The first in turn: a stopped evacuation ends when the move that is under way does. */
const LARGE = ["shop-fra1-01", "db-fra1-02", "mail-fra1-03", "ci-fra1-04"];

describe("evacuating a host", () => {
  it("shows who would go where, follows the moves, and stops on request", async () => {
    const { page, complaints } = await panel.open("/evacuations/new?hostId=2");
    const seen = await recordNotices(page);
    for (const name of LARGE) await page.getByRole("checkbox", { name: `Select ${name}` }).click();
    await whileCopyingIsSlow("frankfurt", async () => {
      await page.getByRole("button", { name: "Evacuate frankfurt" }).click();
      await agree(page, "Evacuate frankfurt?", /^Migrate \d+ guests$/);
      await page.getByRole("heading", { level: 1, name: "Evacuation of frankfurt" }).waitFor();
      await page.getByRole("progressbar", { name: /^Progress of migration/ }).waitFor();
      await picture(page, "evacuation-running-light");
      await page.getByRole("button", { name: "Stop" }).click();
      await agree(page, "Stop the evacuation of frankfurt?", "Stop");
      await page.getByRole("button", { name: "Stopping" }).waitFor();
    });
    await page.getByText("Maintenance mode stays on until you turn it off on the page of").waitFor();
    await page.getByRole("cell", { name: "skipped" }).first().waitFor();
    await page.getByRole("link", { name: "frankfurt", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "frankfurt" }).waitFor();
    await page.getByRole("switch", { name: "Maintenance mode", checked: true }).press("Space");
    await seen("frankfurt is out of maintenance mode.");
    assert.deepEqual(complaints, []);
  });
});
