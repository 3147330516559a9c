// What cannot surprise is shown before the service has answered, and goes back with the reason when it is refused.
import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { z } from "zod";
import { secondPerson } from "../support/ask.js";
import { panel } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";

const madePlan = z.object({ createPlan: z.object({ id: z.number() }) });

/** Holds the answers of a mutation back until the returned function lets them go, as the service gives them or refused. */
async function holdBack(page: Page, mutation: string): Promise<(refusal?: string) => void> {
  const decision = Promise.withResolvers<string | undefined>();
  await page.route("**/graphql", async (route: Route) => {
    if (!route.request().postData()?.includes(mutation)) return route.continue();
    const refusal = await decision.promise;
    if (refusal === undefined) return route.continue();
    return route.fulfill({ json: { errors: [{ message: refusal, extensions: { code: "CONFLICT" } }] } });
  });
  return (refusal) => decision.resolve(refusal);
}

describe("what cannot surprise", () => {
  it("is shown at once: a plan's offer", async () => {
    const ask = await secondPerson();
    const { createPlan } = madePlan.parse(
      await ask(`mutation { createPlan(input: { name: "Micro", cores: 1, memoryMb: 512, diskGb: 5 }) { id } }`),
    );
    const { page, complaints } = await panel.open("/plans");
    const offer = page.getByRole("switch", { name: "Activate Micro" });
    await offer.waitFor();
    const answer = await holdBack(page, "mutation UpdatePlan");
    await offer.press("Space");
    await page.getByRole("switch", { name: "Activate Micro", checked: false }).waitFor();
    answer();
    await page.waitForResponse((response) => response.request().postData()?.includes("mutation UpdatePlan") === true);
    assert.equal(await offer.isChecked(), false);
    // What others change afterwards holds again.
    await ask(
      `mutation ($id: Int!) { updatePlan(id: $id, input: { name: "Micro", cores: 1, memoryMb: 512, diskGb: 5, active: true }) { id } }`,
      createPlan,
    );
    await page.getByRole("switch", { name: "Activate Micro", checked: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("goes back with the reason when it is refused: a host's name", async () => {
    const { page, complaints } = await panel.open("/hosts/3");
    await page.getByRole("heading", { level: 1, name: "london" }).waitFor();
    const seen = await recordNotices(page);
    const answer = await holdBack(page, "mutation RenameHost");
    await page.getByRole("button", { name: "More actions for london" }).click();
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    const name = page.getByRole("dialog").getByLabel("Name");
    await name.fill("londinium");
    await name.press("Enter");
    await page.getByRole("heading", { level: 1, name: "londinium" }).waitFor();
    answer("Another host is called that");
    await seen("Another host is called that");
    await page.getByRole("heading", { level: 1, name: "london", exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("is shown at once: a host's maintenance, after the word that it needs", async () => {
    const { page, complaints } = await panel.open("/hosts/3");
    const maintenance = page.getByRole("switch", { name: "Maintenance mode" });
    await maintenance.waitFor();
    const seen = await recordNotices(page);
    const answer = await holdBack(page, "mutation SetMaintenance");
    await maintenance.press("Space");
    await page
      .getByRole("dialog", { name: /^Turn on maintenance mode for london/ })
      .getByRole("button", { name: "Turn on" })
      .click();
    await page.getByRole("switch", { name: "Maintenance mode", checked: true }).waitFor();
    answer("The host is being emptied");
    await seen("The host is being emptied");
    await page.getByRole("switch", { name: "Maintenance mode", checked: false }).waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe("what can surprise", () => {
  it("is shown as requested until it is seen: power", async () => {
    const { page, complaints } = await panel.open("/guests/1/qemu/109");
    await page.getByRole("heading", { level: 1, name: /^web-ams1/ }).waitFor();
    await page.getByText("running").first().waitFor();
    // Held back from now on: what the page knows is that the guest runs.
    const answer = await holdBack(page, "query Guest(");
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Stop…" }).click();
    await page
      .getByRole("dialog", { name: /^Stop web-ams1/ })
      .getByRole("button", { name: "Stop" })
      .click();
    await page.getByText(/^Stop requested/).waitFor();
    await page.getByText("running").first().waitFor();
    answer();
    await page.getByText("stopped").first().waitFor();
    await page.getByText(/^Stop requested/).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("running").first().waitFor();
    assert.deepEqual(complaints, []);
  });
});
