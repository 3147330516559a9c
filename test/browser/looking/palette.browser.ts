// The palette finds everything by what people know of it, and is used without a mouse or a screen.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { z } from "zod";
import { eventually } from "../../support/eventually.js";
import { secondPerson } from "../support/ask.js";
import { panel, showPalette } from "../support/panel.js";

const choices = z.object({
  osTemplates: z.object({ items: z.tuple([z.object({ ref: z.string() })]).rest(z.unknown()) }),
  plans: z.object({ items: z.tuple([z.object({ id: z.number() })]).rest(z.unknown()) }),
});
const created = z.object({ createGuest: z.object({ jobId: z.number() }) });

/** What is typed, and what must then be offered. */
const FOUND: readonly (readonly [what: string, typed: string, option: RegExp])[] = [
  ["a host by its name", "AMST", /^amsterdam 127/],
  ["a node by its name", "lon2", /^london \/ lon2/],
  ["a guest by its VMID", "111", /^db-ams1-12 111/],
  ["a guest by its address", "10.58.0.31", /^db-ams1-12 111/],
  ["a guest by its owner", "harbour-books", /^db-fra1-02 .* harbour/],
  ["a user by the e-mail", "harbour-books", /^harbour ops@/],
  ["a plan", "medium", /^Medium/],
  ["a zone by an address in it", "10.58.0.250", /^amsterdam public/],
  ["the holders of an address", "192.0.2.77", /^History of 192.0.2.77/],
  ["a page", "settings", /^Settings/],
];

describe("the palette", () => {
  for (const [what, typed, option] of FOUND) {
    it(`finds ${what}`, async () => {
      const { page, complaints } = await openPalette();
      await page.keyboard.type(typed);
      await page.getByRole("option", { name: option }).waitFor();
      assert.deepEqual(complaints, []);
    });
  }

  it("finds work by its number, and leads to it", async () => {
    const id = await startJob();
    const { page } = await openPalette();
    await page.keyboard.type(`job ${id}`);
    await page.getByRole("option", { name: `Job ${id} Create guest` }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/jobs/${id}`);
  });

  it("offers what can be done, by its verb and with the host that is meant", async () => {
    const { page } = await openPalette();
    await page.keyboard.type("evacuate amst");
    await page.getByRole("option", { name: /^Evacuate amsterdam select/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/evacuations\/new\?hostId=1$/);
    await showPalette(page);
    await page.keyboard.type("migrate db-ams1");
    await page.getByRole("option", { name: /^Migrate db-ams1-12/ }).click();
    await page.getByRole("heading", { level: 1, name: /^Migrate db-ams1-12/ }).waitFor();
  });

  it("opens with Enter what comes first, however fast one types", async () => {
    const { page } = await openPalette();
    await page.keyboard.type("frankfurt");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "frankfurt" }).waitFor();
    await page.locator("#main:focus").waitFor();
  });

  it("announces to screen readers which entry is meant and how many there are", async () => {
    const { page } = await openPalette();
    const field = page.getByRole("combobox", { name: "Search" });
    await page.keyboard.type("london");
    await page.getByRole("option", { name: /^london 127/, selected: true }).waitFor();
    await activeIsSelected(page);
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: /^Evacuate london/, selected: true }).waitFor();
    await activeIsSelected(page);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.getByRole("option", { name: /^london public/, selected: true }).waitFor();
    await page
      .getByRole("status")
      .getByText(/^\d+ results$/)
      .waitFor();
    await field.fill("what nothing is called");
    await page.getByRole("status").getByText("No results").waitFor();
    await field.and(page.locator("[aria-expanded=false]")).waitFor();
  });

  it("gives the keyboard back when it is closed, and begins empty again", async () => {
    const { page } = await panel.open("/hosts");
    const button = page.getByRole("button", { name: "Search everything" });
    await button.press("Enter");
    await page.locator("input[role=combobox][aria-label=Search]:focus").waitFor();
    await page.keyboard.type("lon");
    await page.keyboard.press("Escape");
    await page.locator("button:focus[aria-label='Search everything']").waitFor();
    await button.press("Enter");
    await page.getByRole("option", { name: /^Overview/, selected: true }).waitFor();
  });
});

async function openPalette(): ReturnType<typeof panel.open> {
  const opened = await panel.open("/plans");
  await opened.page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
  await showPalette(opened.page);
  return opened;
}

/** The results may just be read again. */
async function activeIsSelected(page: Page): Promise<void> {
  await eventually(async () => {
    const active = await page.getByRole("combobox", { name: "Search" }).getAttribute("aria-activedescendant");
    assert.equal(active, await page.getByRole("option", { selected: true }).getAttribute("id"));
  });
}

async function startJob(): Promise<number> {
  const ask = await secondPerson();
  const { osTemplates, plans } = choices.parse(
    await ask(`{ osTemplates(hostId: 1) { items { ref } } plans(search: "Small") { items { id } } }`),
  );
  const input = {
    type: "QEMU",
    node: "auto",
    name: "palette-made.example.com",
    planId: plans.items[0].id,
    osTemplate: osTemplates.items[0].ref,
    password: "correct horse battery",
  };
  const { createGuest } = created.parse(
    await ask(`mutation ($input: GuestCreateInput!) { createGuest(hostId: 1, input: $input) { jobId } }`, { input }),
  );
  return createGuest.jobId;
}
