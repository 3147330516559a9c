// A whole migration in the panel: plan, start, live progress, the end, and the safety copy.
import assert from "node:assert/strict";
import { agree, choose, panel } from "../support/panel.js";
import { picture } from "../support/picture.js";
import { whileCopyingIsSlow } from "./pace.js";

describe("migrating a guest", () => {
  it("plans, migrates, and keeps a safety copy that can be deleted", async () => {
    const { page, complaints } = await panel.open("/guests/1/qemu/108");
    await page.getByRole("link", { name: "Migrate", exact: true }).click();
    await choose(page, "Target node", "frankfurt / fra1");
    await page.getByRole("region", { name: "Plan" }).getByText("Data to copy").waitFor();
    await page.getByText(/checks? passed/).waitFor();
    await picture(page, "move-plan-made-light");
    await whileCopyingIsSlow("amsterdam", async () => {
      await page.getByRole("button", { name: "Migrate stage-ams1-09" }).click();
      await agree(page, "Migrate stage-ams1-09 (108) to fra1?", "Migrate stage-ams1-09");
      await page.getByRole("heading", { level: 1, name: "Migration of stage-ams1-09" }).waitFor();
      await page
        .getByText(/\d\s(MiB|GiB)\/s/)
        .first()
        .waitFor();
      await picture(page, "migration-running-light");
    });
    await page.getByRole("link", { name: "kept" }).waitFor();
    await page.getByRole("region", { name: "Migration", exact: true }).getByText("frankfurt / fra1").waitFor();
    await page.getByRole("link", { name: "kept" }).click();
    const removal = page.getByRole("button", { name: "Delete the safety copy of stage-ams1-09" });
    await removal.click();
    await agree(page, "Delete the safety copy of stage-ams1-09?", "Delete");
    await removal.waitFor({ state: "hidden" });
    await page.goto(`${panel.url}/migrations`);
    await page.getByRole("link", { name: "stage-ams1-09 (108)" }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
