// On a phone nothing that decides stands beside the screen, and from a tablet every page is reached.
import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.js";
import { panel } from "../support/panel.js";

const PHONE = { width: 390, height: 844 };
const TABLET = { width: 768, height: 1024 };

describe("the panel on a small screen", () => {
  it("shows all of who would go where without a scroll sideways, and still as a table to screen readers", async () => {
    const { page, complaints } = await panel.open("/settings");
    await page.setViewportSize(PHONE);
    await page.goto(`${panel.url}/evacuations/new?hostId=1`);
    const line = page.getByRole("row", { name: /db-ams1-12/ });
    await line.getByRole("cell", { name: /(london|frankfurt) \/ / }).waitFor();
    await eventually(async () => {
      const [wide, room] = await page
        .locator(".table")
        .evaluate(({ scrollWidth, clientWidth }): readonly number[] => [scrollWidth, clientWidth]);
      assert.equal(wide, room);
    });
    await page.getByRole("columnheader", { name: "Blocking issues" }).waitFor({ state: "attached" });
    assert.deepEqual(complaints, []);
  });
  it("opens the menu from a button, on a tablet held upright as well", async () => {
    const { page } = await panel.open("/settings");
    for (const [width, target] of [
      [PHONE.width, "Plans"],
      [TABLET.width, "Hosts"],
    ] as const) {
      await page.setViewportSize({ ...TABLET, width });
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: target }).click();
      await page.getByRole("heading", { level: 1, name: target }).waitFor();
    }
  });
});
