// Everything can be reached without a mouse.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { stopClock } from "../support/clock.js";
import { hasValue } from "../support/fields.js";
import { enterCredentials, panel, showPalette } from "../support/panel.js";

const PALETTE = "**/assets/Palette-*.js";
/** A slow laptop, and the time from key to key of somebody who types well. */
const SLOWER = 6;
const KEY_MS = 120;

describe("the keyboard", () => {
  it("goes to pages, searches, and opens what was found", async () => {
    // A stopped clock is one of all pages that share a session.
    const { page, complaints } = await panel.openAsNobody();
    await page.clock.install();
    await page.goto(panel.url);
    await enterCredentials(page, panel.admin);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await goTo(page, "gh", "Hosts");
    await goTo(page, "gg", "Guests");
    await page.locator("input[data-page-search]").waitFor();
    await page.keyboard.press("/");
    await page.locator("input[data-page-search]:focus").waitFor();
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
    await page.locator("a:focus", { hasText: "Skip to content" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator("#main:focus").waitFor();
  });
});

const field = (page: Page) => page.getByRole("combobox", { name: "Search" });

describe("what is typed after the key of the search", () => {
  it("is kept until its field is there, and goes nowhere else", async () => {
    const { page, load } = await holdPalette();
    await page.keyboard.type("/guesTS");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("ts");
    load();
    await hasValue(field(page), "guests");
    await page.keyboard.type(" of london");
    await hasValue(field(page), "guests of london");
    await page.getByRole("heading", { level: 1, name: "Overview", includeHidden: true }).waitFor();
  });

  it("opens what it finds, with Enter", async () => {
    const { page, load } = await holdPalette();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("frankfurt");
    await page.keyboard.press("Enter");
    load();
    await page.getByRole("heading", { level: 1, name: "frankfurt" }).waitFor();
  });

  it("is given up with Escape", async () => {
    const { page, load } = await holdPalette();
    await page.keyboard.type("/gu");
    await page.keyboard.press("Escape");
    const loaded = page.waitForResponse(PALETTE);
    load();
    await loaded;
    await page.keyboard.press("/");
    await field(page).waitFor();
    await hasValue(field(page), "");
  });

  it("is whole on a slow machine, at a person's pace", async () => {
    const { page, complaints } = await panel.open("/");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    for (const key of ["/", "Control+k"]) {
      await page.keyboard.press(key);
      await page.keyboard.type("guests", { delay: KEY_MS });
      await hasValue(field(page), "guests");
      await page.keyboard.press("Escape");
      await field(page).waitFor({ state: "hidden" });
    }
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    assert.deepEqual(complaints, []);
  });
});

/** The overview of a browser that has not loaded the palette yet, and does so only when the test says. */
async function holdPalette(): Promise<{ page: Page; load: () => void }> {
  const { page } = await panel.open("/settings");
  const allowed = Promise.withResolvers<void>();
  await page.route(PALETTE, async (route) => {
    await allowed.promise;
    await route.continue();
  });
  await page.goto(panel.url);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  return { page, load: () => allowed.resolve() };
}

/** The second key counts only soon after the first: the page's clock stands still while the browser is sent both. */
async function goTo(page: Page, keys: string, heading: string): Promise<void> {
  await stopClock(page);
  await page.keyboard.type(keys);
  await page.clock.resume();
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}
