// Everything can be reached without a mouse.
import assert from "node:assert/strict";
import { panel } from "./support/panel.js";

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
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByLabel("Search").fill("queue-ams1");
    await page.getByRole("dialog").getByText("queue-ams1-08").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "queue-ams1-08" }).waitFor();
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
