// The connection is lost and comes back: the panel says so, and what it shows is fresh again.
import { panel } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";

/** No data is read without the service, nor within the second in which it ended. */
const READ_AT = /^Updated \d\d:\d\d:\d\d/;

describe("a lost connection", () => {
  it("is shown, and everything is read again when it is back", async () => {
    const { page } = await panel.open("/");
    const seen = await recordNotices(page);
    await page.getByRole("status").getByText("Live").waitFor();
    await panel.stopService();
    const notice = page.getByRole("alert").filter({ hasText: "Connection lost" });
    await notice.getByText(/Showing data from \d\d:\d\d:\d\d/).waitFor();
    await page.getByRole("status").getByText("Offline").waitFor();
    const readBefore = await page.getByText(READ_AT).innerText();
    await panel.startServiceAgain();
    await page.getByText(READ_AT).filter({ hasNotText: readBefore }).waitFor();
    await seen("Reconnected. All data has been refreshed.");
    await notice.waitFor({ state: "hidden" });
    await page.getByRole("status").getByText("Live").waitFor();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  it("keeps the panel when the user goes to another page, and opens it when the connection is back", async () => {
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
