// The connection is lost and comes back: the panel says so, and what it shows is fresh again.
import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.js";
import { until } from "../../support/until.js";
import { stopClock } from "../support/clock.js";
import { Line } from "../support/line.js";
import { enterCredentials, panel } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";

/** The panel asks for a sign of life so often, and gives up without one. */
const PING_MS = 10_000;
const SILENCE_MS = 15_000;

describe("a lost connection", () => {
  it("is shown, and everything is read again when it is back", async () => {
    const { page } = await panel.open("/settings");
    const line = await Line.of(page);
    const seen = await recordNotices(page);
    await page.goto(`${panel.url}/plans`);
    await page.getByRole("status").getByText("Live").waitFor();
    await line.cut();
    const notice = page.getByRole("alert").filter({ hasText: "Live updates paused" });
    await notice.getByText(/since \d\d:\d\d:\d\d \(.+\)\. Reconnecting…/).waitFor();
    await page.getByRole("status").getByText("Reconnecting").waitFor();
    const readAgain = page.waitForResponse((answer) => answer.request().postData()?.includes("query Plans") === true);
    line.mend();
    await readAgain;
    await seen("Reconnected. Live updates are on again.");
    await notice.waitFor({ state: "hidden" });
    await page.getByRole("status").getByText("Live").waitFor();
    await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
  });

  it("keeps the panel when the user goes to another page, and opens it when the connection is back", async () => {
    const { page } = await panel.open("/");
    await page.getByRole("status").getByText("Live").waitFor();
    await panel.stopService();
    await page.getByRole("status").getByText("Reconnecting").waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Plans" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await panel.startServiceAgain();
    await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
    await page.getByRole("status").getByText("Live").waitFor();
  });
});

describe("a silent connection", () => {
  it("is given up after fifteen seconds, and not before", async () => {
    // A clock that is set is one of all pages that share a session.
    const { page } = await panel.openAsNobody();
    await page.clock.install();
    const line = await Line.of(page);
    await page.goto(panel.url);
    await enterCredentials(page, panel.admin);
    // On a machine that is busy the connection may have been given up before.
    await eventually(async () => {
      await page.clock.resume();
      await page.getByRole("status").getByText("Live").waitFor();
      await stopClock(page);
      assert.ok(line.isAnswered);
    });
    const { opened } = line;
    line.holdPongs();
    const before = line.pings;
    await page.clock.fastForward(PING_MS);
    await until("the page has asked", () => line.pings > before);
    await page.clock.fastForward(SILENCE_MS - 1);
    line.answerPing();
    await page.clock.fastForward(PING_MS);
    await until("the page has asked again", () => line.pings > before + 1);
    assert.equal(line.opened, opened);
    await page.clock.fastForward(SILENCE_MS);
    await page.getByRole("alert").getByText("Live updates paused").waitFor();
    line.passPongs();
    await page.clock.resume();
    await page.getByRole("status").getByText("Live").waitFor();
    assert.ok(line.opened > opened);
  });
});
