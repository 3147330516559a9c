// The connection is lost and comes back: the panel says so, and what it shows is fresh again.
import assert from "node:assert/strict";
import { panel } from "../support/panel.js";

describe("a lost connection", () => {
  it("is told, and everything is read anew when it is back", async () => {
    const { page } = await panel.open("/");
    await page.getByRole("status").getByText("Live").waitFor();
    await panel.stopService();
    const notice = page.getByRole("alert").filter({ hasText: "Connection lost" });
    await notice.getByText(/Showing data from \d\d:\d\d:\d\d/).waitFor();
    await page.getByRole("status").getByText("Offline").waitFor();
    await panel.startServiceAgain();
    await page.getByText("Reconnected. All data has been refreshed.").waitFor();
    await notice.waitFor({ state: "hidden" });
    await page.getByRole("status").getByText("Live").waitFor();
    assert.equal(await page.getByRole("heading", { level: 1, name: "Overview" }).count(), 1);
  });

  it("keeps the panel when another page is gone to meanwhile, and goes there when it is back", async () => {
    const { page } = await panel.open("/");
    await page.getByRole("status").getByText("Live").waitFor();
    await panel.stopService();
    await page.getByRole("status").getByText("Offline").waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Plans" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await panel.startServiceAgain();
    await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
    await page.getByRole("status").getByText("Live").waitFor();
  });
});
