// The life of an API token in the panel: made, shown once, used, revoked.
import assert from "node:assert/strict";
import { hasValue } from "../support/fields.js";
import { agree, panel } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";

describe("an API token", () => {
  it("is not made of what the service refuses: that stands beside its field, which is led to, and the rest stays", async () => {
    const { page } = await panel.open("/tokens");
    await page.getByRole("button", { name: "New token" }).click();
    const form = page.getByRole("dialog", { name: "New API token" });
    await form.getByLabel("Name", { exact: true }).fill("Of a wrong source");
    const sources = form.getByLabel("Allowed IPs");
    await sources.fill("192.0.2.0/24\nnot an address");
    await form.getByRole("button", { name: "Create token" }).click();
    await form.locator("textarea[aria-invalid=true]:focus").waitFor();
    await form
      .getByText(/not an address/i)
      .last()
      .waitFor();
    await hasValue(form.getByLabel("Name", { exact: true }), "Of a wrong source");
    await hasValue(sources, "192.0.2.0/24\nnot an address");
  });

  it("is shown once, shows its last use, and is refused once revoked", async () => {
    const { page, complaints } = await panel.open("/");
    const seen = await recordNotices(page);
    await page.getByRole("link", { name: "API tokens" }).click();
    await page.getByRole("button", { name: "New token" }).click();
    const form = page.getByRole("dialog", { name: "New API token" });
    await form.getByLabel("Name", { exact: true }).fill("Browser test");
    await form.getByRole("button", { name: "Create token" }).click();
    const shown = page.getByRole("dialog", { name: "Token Browser test" });
    const value = (await shown.getByTestId("secret").textContent()) ?? "";
    assert.match(value, /^drv_/);
    await page.evaluate("history.back()");
    await page.getByRole("dialog", { name: "Leave without saving it?" }).getByRole("button", { name: "Stay" }).click();
    assert.equal(await shown.getByTestId("secret").textContent(), value);
    await shown.getByRole("button", { name: "I have saved it" }).click();
    const ask = async (): Promise<number> =>
      (await fetch(`${panel.url}/api/v1/hosts`, { headers: { authorization: `Bearer ${value}` } })).status;
    assert.equal(await ask(), 200);
    const row = page.getByRole("row", { name: /Browser test/ });
    await row.getByText("never").first().waitFor();
    await page.getByText(value).waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Revoke Browser test" }).click();
    await agree(page, /^Revoke Browser test/, "Revoke Browser test");
    await row.getByText("revoked").waitFor();
    // The row is shown as revoked when it is asked for; this is said when it is done.
    await seen("Browser test is revoked.");
    assert.equal(await ask(), 401);
    await page.goto(`${panel.url}/requests?path=hosts&answers=refused`);
    await page.getByRole("cell", { name: "401" }).first().waitFor();
    assert.deepEqual(complaints, []);
  });
});
