// Every page in light and dark: it is there by its address, has no fault that axe finds, and no console error.
import assert from "node:assert/strict";
import { panel, showPalette } from "../support/panel.js";
import { inBothSchemes } from "../support/schemes.js";
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
