// Everything can be reached without a mouse.
import assert from "node:assert/strict";
import { panel, showPalette } from "../support/panel.js";

describe("the keyboard", () => {
  it("goes to pages, searches, and opens what was found", async () => {
    const { page, complaints } = await panel.open("/");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("g");
    await page.getByRole("heading", { level: 1, name: "Guests" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("db-ams1");
    await page.getByRole("link", { name: "db-ams1-12" }).waitFor();
    await page.getByRole("link", { name: "mail-ams1-01" }).waitFor({ state: "hidden" });
    await page.waitForURL(/search=db-ams1/);
    await page.keyboard.press("Escape");
    await showPalette(page);
    await page.keyboard.type("queue-ams1");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "queue-ams1-08" }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("goes on in the page that was gone to", async () => {
    const { page } = await panel.open("/hosts");
    await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Plans" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
    await page.locator("#main:focus").waitFor();
    await page.keyboard.press("Tab");
    await page.locator("button:focus", { hasText: "New plan" }).waitFor();
  });

  it("sorts, turns pages, and chooses in a table", async () => {
    const { page, complaints } = await panel.open("/guests?perPage=25");
    const sort = page.getByRole("button", { name: "Guest", exact: true });
    await sort.press("Enter");
    await page.getByRole("columnheader", { name: "Guest" }).and(page.locator("[aria-sort=ascending]")).waitFor();
    await sort.press("Enter");
    await page.locator("[aria-sort=descending]").waitFor();
    await page.getByRole("button", { name: "Next page" }).press("Enter");
    await page.waitForURL(/page=2/);
    await page.getByText(/^26 – 50 of/).waitFor();
    await page.getByRole("combobox", { name: "Rows per page" }).selectOption("100");
    await page.getByText(/^1 – /).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("opens the menu of a guest in a table, and comes back to its button", async () => {
    const { page, complaints } = await panel.open("/guests?search=db-ams1-12");
    const button = page.getByRole("button", { name: "Actions for db-ams1-12" });
    await button.press("Enter");
    await page.getByRole("menuitem", { name: "Shut down…" }).waitFor();
    // It is seen a moment before it has the focus, and with it the keys.
    await page.locator("[role=menu]:focus-within").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator("[role=menuitem]:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("button:focus[aria-label='Actions for db-ams1-12']").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Delete…" }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("passes the menu by with the first link", async () => {
    const { page } = await panel.open("/hosts");
    await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.id"), "main");
  });
});
