// Balancing in the panel: threshold, overloaded node, recommendations with the load before and after, and the run.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../../support/eventually.js";
import { agree, panel } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";
import { picture } from "../support/picture.js";

async function saveThreshold(page: Page, percent: string): Promise<void> {
  await page.goto(`${panel.url}/settings`);
  await page.getByLabel("RAM threshold (%)").fill(percent);
  await page.getByRole("button", { name: "Save" }).click();
}

/** Recommendations may be read again, and new ones are selected. */
async function selectFirstAlone(boxes: Locator): Promise<void> {
  await eventually(async () => {
    for (let place = (await boxes.count()) - 1; place > 0; place--) await boxes.nth(place).uncheck();
    assert.equal(await boxes.and(boxes.page().getByRole("checkbox", { checked: true })).count(), 1);
  });
}

describe("balancing", () => {
  it("lists an overloaded node with recommendations, and applies the selected one", async () => {
    const { page, complaints } = await panel.open("/settings");
    const seen = await recordNotices(page);
    await saveThreshold(page, "30");
    await seen("Settings saved.");
    await page.goto(`${panel.url}/balance`);
    await page.getByRole("alert").getByText("frankfurt / fra1").waitFor();
    await page.getByRole("region", { name: "Load before and after" }).waitFor();
    await picture(page, "balance-suggestions-light");
    const recommendations = page.getByRole("region", { name: "Recommendations" });
    await selectFirstAlone(recommendations.getByRole("checkbox", { name: /^Select (?!all)/ }));
    await recommendations.getByRole("button", { name: "Apply 1 recommendation" }).click();
    await agree(page, "Apply 1 recommendation?", "Migrate 1 guest");
    await page.getByRole("heading", { level: 1, name: /^Balance run/ }).waitFor();
    await page.getByText("1 of 1 guest processed").waitFor();
    await page.getByRole("link", { name: "Balance", exact: true }).first().click();
    await page.getByRole("region", { name: "Recent runs" }).getByText("1 of 1").waitFor();
    await saveThreshold(page, "80");
    await seen("Settings saved.");
    assert.deepEqual(complaints, []);
  });
});
