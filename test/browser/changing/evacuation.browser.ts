// A host is emptied in the panel, and stopped on the way.
import assert from "node:assert/strict";
import { agree, panel } from "../support/panel.js";
import { picture } from "../support/picture.js";

/** The first in turn: a stopped evacuation ends when the move that is under way does. */
const LARGE = ["shop-fra1-01", "db-fra1-02", "mail-fra1-03", "ci-fra1-04"];

describe("emptying a host", () => {
  it("shows who would go where, follows the moves, and stops when told to", async () => {
    const { page, complaints } = await panel.open("/evacuations/new?hostId=2");
    for (const name of LARGE) await page.getByRole("checkbox", { name: `Choose ${name}` }).click();
    await page.getByRole("button", { name: "Empty frankfurt" }).click();
    await agree(page, "Empty frankfurt?", /^Move \d+ guests$/);
    await page.getByRole("heading", { level: 1, name: "Evacuation of frankfurt" }).waitFor();
    await page.getByRole("progressbar", { name: /^Progress of move/ }).waitFor();
    await picture(page, "evacuation-running-light");
    await page.getByRole("button", { name: "Stop" }).click();
    await agree(page, "Stop the evacuation of frankfurt?", "Stop");
    await page.getByText("stays in maintenance until you turn that off on its page.").waitFor();
    await page.getByRole("cell", { name: "skipped" }).first().waitFor();
    await page.getByRole("link", { name: "frankfurt", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "frankfurt" }).waitFor();
    await page.getByLabel("Maintenance").click({ force: true });
    await page.getByText("frankfurt takes guests again.").waitFor();
    assert.deepEqual(complaints, []);
  });
});
