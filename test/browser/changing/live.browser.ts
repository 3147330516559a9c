// Pages follow what others change, without being loaded anew, and never lose what is being typed.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { z } from "zod";
import { eventually } from "../../support/eventually.js";
import { secondPerson } from "../support/ask.js";
import { stopClock } from "../support/clock.js";
import { hasValue } from "../support/fields.js";
import { enterCredentials, panel, type PanelPage } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";
import { holdReading } from "../support/reading.js";

const HOUR_MS = 3_600_000;
/** The longest pause between two readings of a page. */
const PAUSE_MS = 10_000;
/** More than lies between two readings at least, and far less than a connection may be silent. */
const NEWS_MS = 2_000;

const madePlan = z.object({ createPlan: z.object({ id: z.number() }) });
const madeZone = z.object({ createIpZone: z.object({ id: z.number() }) });
const madeUser = z.object({ createUser: z.object({ user: z.object({ id: z.number() }) }) });
const madeToken = z.object({ createApiToken: z.object({ value: z.string(), token: z.object({ id: z.number() }) }) });

async function open(path: string, heading: string): Promise<PanelPage> {
  const opened = await panel.open(path);
  await opened.page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await opened.page.getByRole("status").getByText("Live").waitFor();
  return opened;
}

describe("pages follow", () => {
  it("people who come and go", async () => {
    const ask = await secondPerson();
    const { page, complaints } = await open("/users", "Users");
    const { createUser } = madeUser.parse(
      await ask(`mutation { createUser(username: "frida", email: "frida@example.com") { user { id } } }`),
    );
    await page.getByRole("link", { name: "frida" }).waitFor();
    await ask(`mutation { deleteUser(id: ${createUser.user.id}) }`);
    await page.getByRole("link", { name: "frida" }).waitFor({ state: "hidden" });
    assert.deepEqual(complaints, []);
  });

  it("plans", async () => {
    const ask = await secondPerson();
    const { page, complaints } = await open("/plans", "Plans");
    const size = "cores: 1, memoryMb: 512, diskGb: 5";
    const { createPlan } = madePlan.parse(
      await ask(`mutation { createPlan(input: { name: "Pocket", ${size} }) { id } }`),
    );
    const row = page.getByRole("row", { name: /Pocket/ });
    await row.waitFor();
    await ask(
      `mutation { updatePlan(id: ${createPlan.id}, input: { name: "Pocket", ${size}, active: false }) { id } }`,
    );
    await row.getByText("inactive").waitFor();
    assert.deepEqual(complaints, []);
  });

  it("IP zones", async () => {
    const ask = await secondPerson();
    const { page, complaints } = await open("/ip-zones?hostId=2", "IP zones");
    const { createIpZone } = madeZone.parse(
      await ask(
        `mutation { createIpZone(input: { hostId: 2, name: "lab", cidr: "203.0.113.0/28", bridge: "vmbr0" }) { id } }`,
      ),
    );
    const zone = page.getByRole("link", { name: "lab" });
    await zone.waitFor();
    await ask(`mutation ($id: Int!) { deleteIpZone(id: $id) }`, createIpZone);
    await zone.waitFor({ state: "hidden" });
    assert.deepEqual(complaints, []);
  });

  it("tokens, and show that there are newer requests in the log", async () => {
    const ask = await secondPerson();
    const { page, complaints } = await open("/tokens", "API tokens");
    const { createApiToken } = madeToken.parse(
      await ask(`mutation { createApiToken(input: { name: "Invoices" }) { value token { id } } }`),
    );
    const row = page.getByRole("row", { name: /Invoices/ });
    await row.waitFor();
    const log = await open("/requests?path=plans", "Request log");
    await log.page.getByText("No requests match the filters.").or(log.page.getByRole("cell").first()).first().waitFor();
    await fetch(`${panel.url}/api/v1/plans`, { headers: { authorization: `Bearer ${createApiToken.value}` } });
    await log.page.getByRole("button", { name: "Show newer requests" }).click();
    await log.page.getByRole("cell", { name: "Invoices" }).first().waitFor();
    await log.page.getByRole("button", { name: "Refresh" }).waitFor();
    await row.getByText(/just now|ago/).waitFor();
    await ask(`mutation { revokeApiToken(id: ${createApiToken.token.id}) { id } }`);
    await row.getByText("revoked").waitFor();
    assert.deepEqual([...complaints, ...log.complaints], []);
  });

  it("settings, without touching what is being typed", async () => {
    const ask = await secondPerson();
    const { page, complaints } = await open("/settings", "Settings");
    const seen = await recordNotices(page);
    const mine = page.getByLabel("Maximum recommendations per report");
    await mine.fill("17");
    await ask(`mutation { updateSettings(input: { safetyCopyRetentionDays: 9 }) { maxSuggestions } }`);
    await page.locator("input[value='9']").waitFor();
    await hasValue(mine, "17");
    await page.getByRole("button", { name: "Save" }).click();
    await seen("Settings saved.");
    assert.deepEqual(await ask(`{ settings { maxSuggestions safetyCopyRetentionDays } }`), {
      settings: { maxSuggestions: 17, safetyCopyRetentionDays: 9 },
    });
    await page.getByRole("button", { name: "Save", disabled: true }).waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe("a page that is read slowly", () => {
  it("is read again ten seconds after a reading that took an hour", async () => {
    const { page, rename } = await plansWithClock("Hourly");
    const { asked, release } = await holdReading(page, "Plans");
    await rename("Hourly, first");
    await asked;
    await page.clock.fastForward(HOUR_MS);
    release();
    await page.getByRole("row", { name: /Hourly, first/ }).waitFor();
    await rename("Hourly, second");
    await page.clock.fastForward(PAUSE_MS);
    await page.getByRole("row", { name: /Hourly, second/ }).waitFor();
  });

  it("is read to the end, however many news come meanwhile", async () => {
    const { page, rename } = await plansWithClock("Busy");
    const { asked, release } = await holdReading(page, "Plans");
    await page.reload();
    await asked;
    const broken: string[] = [];
    page.on("requestfailed", (request) => void broken.push(request.postData() ?? request.url()));
    await page.getByRole("status").getByText("Live").waitFor();
    for (const to of ["Busy, once", "Busy, twice"]) {
      await rename(to);
      await page.clock.fastForward(NEWS_MS);
    }
    release();
    await page.getByRole("row", { name: /Busy, twice/ }).waitFor();
    assert.deepEqual(
      broken.filter((body) => body.includes("query Plans")),
      [],
    );
  });

  it("is read at once when the user comes back to the window", async () => {
    const { page, rename } = await plansWithClock("Unseen");
    // Like the timers of a tab that nobody sees.
    await stopClock(page);
    await rename("Unseen, and read");
    await eventually(async () => {
      await page.evaluate("window.dispatchEvent(new Event('focus'))");
      assert.ok(await page.getByRole("row", { name: /Unseen, and read/ }).isVisible());
    });
  });
});

/** The list of plans with a plan of this name, in a page whose clock a test moves, and a way to give the plan another name. */
async function plansWithClock(name: string): Promise<{ page: Page; rename: (to: string) => Promise<void> }> {
  const ask = await secondPerson();
  const size = "cores: 1, memoryMb: 512, diskGb: 5";
  const { createPlan } = madePlan.parse(
    await ask(`mutation { createPlan(input: { name: "${name}", ${size} }) { id } }`),
  );
  const rename = async (to: string): Promise<void> => {
    await ask(`mutation { updatePlan(id: ${createPlan.id}, input: { name: "${to}", ${size} }) { id } }`);
  };
  // A clock that is set is one of all pages that share a session.
  const { page } = await panel.openAsNobody();
  await page.clock.install();
  await page.goto(`${panel.url}/plans`);
  await enterCredentials(page, panel.admin);
  await page.getByRole("row", { name: new RegExp(name) }).waitFor();
  await page.getByRole("status").getByText("Live").waitFor();
  return { page, rename };
}
