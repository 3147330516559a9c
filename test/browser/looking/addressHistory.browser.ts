// Who has and had an address is found from its zone and from its guest, and by the address itself.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { panel } from "../support/panel.js";

describe("the history of an address", () => {
  it("opens from the address in its zone and leads to the guest that has it, and back", async () => {
    const { page, complaints } = await panel.open("/ip-zones?hostId=1");
    const taken = page.getByRole("region", { name: /^IP addresses of/ }).getByRole("row");
    const held = taken.filter({ has: page.locator("a[href^='/guests/']") }).first();
    const link = held.locator("a[href^='/ip-addresses/']");
    const address = await link.innerText();
    await link.click();
    await page.getByRole("heading", { level: 1, name: address }).waitFor();
    const now = await holder(page);
    await now.click();
    await page.getByRole("region", { name: "Guest" }).getByRole("link", { name: address, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: address }).waitFor();
    await holder(page);
    await page.getByRole("link", { name: "Show all hosts" }).click();
    await page.waitForURL((url) => url.pathname === `/ip-addresses/${address}` && url.search === "");
    await holder(page);
    assert.deepEqual(complaints, []);
  });

  it("shows that no guest had it, and what is wrong with what is no address", async () => {
    const { page } = await panel.open("/ip-addresses/192.0.2.250");
    await page.getByText("No guest has had this address").waitFor();
    await page.goto(`${panel.url}/ip-addresses/nonsense`);
    await page.getByRole("alert").getByText("must be an IP address").waitFor();
  });
});

/** The link to the guest of the period that lasts. */
async function holder(page: Page) {
  const lasting = page.getByRole("row").filter({ hasText: "current" });
  await lasting.waitFor();
  return lasting.locator("a[href^='/guests/']");
}
