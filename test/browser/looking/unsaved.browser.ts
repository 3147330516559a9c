// What somebody typed is not lost without a question; and nothing is asked when there is nothing to lose.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../support/eventually.js";
import { hasValue } from "../support/fields.js";
import { panel } from "../support/panel.js";

const question = (page: Page) => page.getByRole("dialog", { name: "Discard changes?" });

describe("unsaved input", () => {
  it("of a dialog is asked about before Escape or a click beside it loses it", async () => {
    const { page, complaints } = await panel.open("/plans");
    const form = page.getByRole("dialog", { name: "New plan" });
    const open = () => page.getByRole("button", { name: "New plan" }).click();
    await open();
    // It is seen a moment before it has the focus, and with it the keys.
    await page.locator("[role=dialog]:focus-within").waitFor();
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "hidden" });
    await open();
    await form.getByLabel("Name").fill("Draft");
    await form.getByLabel("Name").press("Escape");
    await question(page).getByRole("button", { name: "Keep editing" }).click();
    await question(page).waitFor({ state: "hidden" });
    await hasValue(form.getByLabel("Name"), "Draft");
    await page.mouse.click(5, 400);
    await question(page).getByRole("button", { name: "Discard" }).click();
    await form.waitFor({ state: "hidden" });
    await open();
    await hasValue(form.getByLabel("Name"), "");
    assert.deepEqual(complaints, []);
  });

  it("of a page is asked about before another page is gone to, back included", async () => {
    const { page, complaints } = await panel.open("/hosts");
    await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    const menu = page.getByRole("navigation", { name: "Pages" });
    await menu.getByRole("link", { name: "Settings" }).click();
    const field = page.getByLabel("Safety copy retention (days)");
    await field.waitFor();
    await menu.getByRole("link", { name: "Plans" }).click();
    await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
    await page.goBack();
    const before = await field.inputValue();
    await field.fill("77");
    await menu.getByRole("link", { name: "Plans" }).click();
    await question(page).getByRole("button", { name: "Keep editing" }).click();
    await hasValue(field, "77");
    await page.goBack();
    await question(page).getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    await menu.getByRole("link", { name: "Settings" }).click();
    await hasValue(field, before);
    assert.deepEqual(complaints, []);
  });

  it("holds the tab, and nothing holds it once the input is taken back", async () => {
    const { page } = await panel.open("/settings");
    const field = page.getByLabel("Safety copy retention (days)");
    await field.waitFor();
    const held = () => page.evaluate<boolean>(`!dispatchEvent(new Event("beforeunload", { cancelable: true }))`);
    assert.equal(await held(), false);
    await field.fill("77");
    await eventually(async () => assert.equal(await held(), true));
    await page.getByRole("button", { name: "Discard" }).click();
    await eventually(async () => assert.equal(await held(), false));
  });
});
