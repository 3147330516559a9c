// A whole move in the panel: plan, start, live progress, the end, and the safety copy.
import assert from "node:assert/strict";
import { agree, choose, panel } from "../support/panel.js";
import { picture } from "../support/picture.js";

describe("moving a guest", () => {
  it("plans, moves, and keeps a safety copy that can be deleted", async () => {
    const { page, complaints } = await panel.open("/guests/1/qemu/108");
    await page.getByRole("link", { name: "Move", exact: true }).click();
    await choose(page, "Node of another host", "frankfurt / fra1");
    await page.getByRole("region", { name: "Plan" }).getByText("Data to copy").waitFor();
    await page.getByText(/checks? passed/).waitFor();
    await picture(page, "move-plan-made-light");
    await page.getByRole("button", { name: "Move stage-ams1-09" }).click();
    await agree(page, "Move stage-ams1-09 (108) to fra1?", "Move stage-ams1-09");
    await page.getByRole("heading", { level: 1, name: "Move of stage-ams1-09" }).waitFor();
    await page
      .getByText(/\d\s(MiB|GiB)\/s/)
      .first()
      .waitFor();
    await picture(page, "migration-running-light");
    await page.getByRole("link", { name: "kept" }).waitFor();
    await page.getByRole("region", { name: "Move" }).getByText("frankfurt / fra1").waitFor();
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
