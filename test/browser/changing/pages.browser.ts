// Every page in light and dark: it is there by its address, has no fault that axe finds, and no console error.
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { panel, showPalette } from "../support/panel.js";
import { picture } from "../support/picture.js";
import { workOfEveryKind, type Work } from "./work.js";

/** Known when the demo runs. */
type Path = string | ((work: Work) => string);

const PAGES: readonly (readonly [name: string, path: Path, heading: string | RegExp])[] = [
  ["overview", "/", "Overview"],
  ["hosts", "/hosts", "Hosts"],
  ["host", "/hosts/3", "london"],
  ["node", "/hosts/2/nodes/fra1", "fra1"],
  ["guests", "/guests", "Guests"],
  ["guest", "/guests/1/qemu/111", "db-ams1-12"],
  ["new-guest", "/guests/new?hostId=3", "New guest"],
  ["move-plan", "/guests/1/qemu/109/move", /^Migrate web-ams1/],
  ["jobs", "/jobs", "Jobs"],
  ["job", ({ job }) => `/jobs/${job}`, /./],
  ["migrations", "/migrations", "Migrations"],
  ["migration", ({ migration }) => `/migrations/${migration}`, /^Migration of/],
  ["evacuations", "/evacuations", "Evacuations"],
  ["new-evacuation", "/evacuations/new?hostId=1", "Evacuate host"],
  ["evacuation", ({ evacuation }) => `/evacuations/${evacuation}`, /^Evacuation of/],
  ["balance", "/balance", "Balance"],
  ["balance-run", ({ balanceRun }) => `/balance/${balanceRun}`, /^Balance run \d+$/],
  ["safety-copies", "/safety-copies", "Safety copies"],
  ["placement", "/placement?cores=8&memoryMb=49152&diskGb=500", "Placement simulation"],
  ["users", "/users", "Users"],
  ["user", "/users/2", "anna"],
  ["account", "/account", "Account"],
  ["plans", "/plans", "Plans"],
  ["templates", "/templates", "Templates"],
  ["ip-zones", "/ip-zones", "IP zones"],
  ["ip-address", "/ip-addresses/192.0.2.250", "192.0.2.250"],
  ["tokens", "/tokens", "API tokens"],
  ["requests", "/requests", "Request log"],
  ["graphiql", "/graphql", "GraphiQL"],
  ["settings", "/settings", "Settings"],
];

const ALL_RULES: axe.RunOnly = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
/** The schemes differ in their colours alone. */
const COLOR_RULES: axe.RunOnly = { type: "rule", values: ["color-contrast"] };

describe("every page", () => {
  let work: Work;
  before(async () => {
    work = await workOfEveryKind();
  });

  for (const [name, path, heading] of PAGES) {
    it(`${name} is accessible in light and dark`, async () => {
      const { page, complaints } = await panel.open(typeof path === "string" ? path : path(work));
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await page.getByRole("status").getByText("Live").waitFor();
      await inBothSchemes(page, name);
      assert.deepEqual(complaints, []);
    });
  }

  it("the palette is accessible in light and dark", async () => {
    const { page, complaints } = await panel.open("/");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await showPalette(page);
    await page.keyboard.type("london");
    await page.getByRole("option", { name: /^Evacuate london/ }).waitFor();
    await inBothSchemes(page, "palette");
    assert.deepEqual(complaints, []);
  });

  it("sign-in is accessible in light and dark", async () => {
    const { page } = await panel.openAsNobody();
    await page.goto(panel.url);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await inBothSchemes(page, "sign-in");
  });

  it("reports it where there is nothing", async () => {
    const { page } = await panel.open("/guests/1/qemu/99999");
    await page.getByRole("alert").getByText("Not found", { exact: true }).waitFor();
    await page.goto(`${panel.url}/no/such/page`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  });
});

/** The panel follows the system's scheme, so that a page need not be opened twice. */
async function inBothSchemes(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await settled(page);
    assert.deepEqual(await faults(page, colorScheme === "light" ? ALL_RULES : COLOR_RULES), [], colorScheme);
    await picture(page, `${name}-${colorScheme}`);
  }
}

/** Nothing is being waited for any more. */
async function settled(page: Page): Promise<void> {
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  await page.evaluate(
    `Promise.allSettled(document.getAnimations()
       .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity).map(({ finished }) => finished))`,
  );
}

async function faults(page: Page, rules: axe.RunOnly): Promise<unknown[]> {
  await page.evaluate(axe.source);
  // What is in order need not be told in detail, and the frame of GraphiQL takes no messages from others.
  const { violations } = await page.evaluate<axe.AxeResults>(
    `axe.run(document, ${JSON.stringify({ runOnly: rules, resultTypes: ["violations"], iframes: false })})`,
  );
  return violations.map(({ id, nodes }) => ({
    id,
    where: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
  }));
}
