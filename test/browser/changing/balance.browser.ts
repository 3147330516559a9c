// A hot node is cooled in the panel: threshold, suggestions with before and after, and the run.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { agree, panel } from "../support/panel.js";
import { picture } from "../support/picture.js";

const threshold = async (page: Page, percent: string): Promise<void> => {
  await page.goto(`${panel.url}/settings`);
  await page.getByLabel("RAM threshold, percent").fill(percent);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The settings are changed and hold from now on.").waitFor();
};

describe("balancing", () => {
  it("finds a hot node, suggests moves, and carries the chosen one out", async () => {
    const { page, complaints } = await panel.open("/settings");
    await threshold(page, "30");
    await page.goto(`${panel.url}/balance`);
    await page.getByRole("alert").getByText("frankfurt / fra1").waitFor();
    await page.getByRole("region", { name: "Nodes before and after" }).waitFor();
    await picture(page, "balance-suggestions-light");
    const suggestions = page.getByRole("region", { name: "Suggestions" });
    const boxes = suggestions.getByRole("checkbox", { name: /^Choose (?!all)/ });
    for (let place = (await boxes.count()) - 1; place > 0; place--) await boxes.nth(place).click();
    await suggestions.getByRole("button", { name: "Carry out 1" }).click();
    await agree(page, "Carry out 1 suggestion?", "Move 1 guest");
    await page.getByRole("heading", { level: 1, name: /^Balance run/ }).waitFor();
    await page.getByText("1 of 1 guests settled").waitFor();
    await page.getByRole("link", { name: "Balance", exact: true }).first().click();
    await page.getByRole("region", { name: "Latest runs" }).getByText("1 of 1").waitFor();
    await threshold(page, "80");
    assert.deepEqual(complaints, []);
  });
});
