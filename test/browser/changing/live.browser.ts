// Pages follow what others change, without being loaded anew, and never lose what is being typed.
import assert from "node:assert/strict";
import { z } from "zod";
import { secondPerson } from "../support/ask.js";
import { panel, type PanelPage } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";

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

  it("tokens, and says that there are newer requests in the log", async () => {
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
    assert.equal(await mine.inputValue(), "17");
    await page.getByRole("button", { name: "Save" }).click();
    await seen("Settings saved.");
    assert.deepEqual(await ask(`{ settings { maxSuggestions safetyCopyRetentionDays } }`), {
      settings: { maxSuggestions: 17, safetyCopyRetentionDays: 9 },
    });
    await page.getByRole("button", { name: "Save", disabled: true }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
