// Who adds a host is told where things come from, and why it was refused for as long as that is needed.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../../support/eventually.js";
import { hasValue } from "../support/fields.js";
import { panel } from "../support/panel.js";

const ANOTHER = Array.from({ length: 32 }, () => "AA").join(":");

describe("adding a host", () => {
  it("shows where token and fingerprint come from", async () => {
    const { page } = await panel.open("/hosts");
    const form = await openForm(page);
    await form.getByText("Where do I find the token and the fingerprint?").press("Enter");
    await form.getByText("pveum user token add root@pam drover --privsep 0").waitFor();
  });

  it("reports another certificate, and takes its fingerprint once it was compared", async () => {
    const { page, complaints } = await panel.open("/hosts");
    const port = await portOfAmsterdam(page);
    const form = await openForm(page);
    await fill(form, { port, fingerprint: `sha256 Fingerprint=${ANOTHER}` });
    const refusal = form.getByRole("alert");
    await refusal.getByText("expected was AA:AA").waitFor();
    await refusal.getByRole("button", { name: "Fingerprints match: use it" }).click();
    await refusal.waitFor({ state: "detached" });
    const fingerprint = form.getByLabel(/fingerprint/);
    await eventually(async () =>
      assert.match(await fingerprint.inputValue(), /^(?!AA:AA)(?:[\dA-F]{2}:){31}[\dA-F]{2}$/),
    );
    await form.getByRole("button", { name: "Add" }).click();
    await refusal.getByText(/Check the user/).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("shows what to look at where nothing answers, and keeps what was typed", async () => {
    const { page } = await panel.open("/hosts");
    const form = await openForm(page);
    await fill(form, { port: "9", fingerprint: "" });
    await form
      .getByRole("alert")
      .getByText(/must reach the address and port/)
      .waitFor();
    await hasValue(form.getByLabel("Token ID"), "root@pam!drover");
  });
});

async function openForm(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Add host" }).click();
  return page.getByRole("dialog", { name: "Add host" });
}

async function portOfAmsterdam(page: Page): Promise<string> {
  const told = await page
    .getByRole("row", { name: /^amsterdam/ })
    .getByText(/^127\.0\.0\.1:\d+$/)
    .innerText();
  return told.split(":")[1] ?? "";
}

/** A token of nobody, sent to this port of the machine. */
async function fill(form: Locator, { port, fingerprint }: { port: string; fingerprint: string }): Promise<void> {
  await form.getByLabel("Name", { exact: true }).fill("rack7");
  await form.getByLabel("Address").fill("localhost");
  await form.getByLabel("Port").fill(port);
  await form.getByLabel("Token ID").fill("root@pam!drover");
  await form.getByLabel("Token secret").fill("11111111-2222-3333-4444-555555555555");
  await form.getByLabel(/fingerprint/).fill(fingerprint);
  await form.getByRole("button", { name: "Add" }).click();
}
