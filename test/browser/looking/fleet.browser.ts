// However large the fleet, a page lays out a bounded number of elements, lists come a page at a time, and all can be chosen.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { hasValue } from "../support/fields.js";
import { startFleet, type RunningFleet } from "../support/fleet.js";
import { choose, panel, showPalette } from "../support/panel.js";

const NODES_A_HOST = 3;
/** More hosts than the service tells on a page. */
const SIZE = { hosts: 210, nodesPerHost: NODES_A_HOST, guests: 12_600, history: false };
const NODES = SIZE.hosts * NODES_A_HOST;
/** For a database with all of it, on a machine that is busy with other things. */
const FILL_MS = 900_000;
/** A page of fifty lines with everything around it has about 2,600. */
const MOST_ELEMENTS = 4_000;

const guestsAnswer = z.object({ data: z.object({ guests: z.object({ items: z.array(z.unknown()) }) }) });

describe("a large fleet", () => {
  let fleet: RunningFleet | undefined;
  let url: string;
  let page: Page;

  before(async function () {
    this.timeout(FILL_MS);
    fleet = await startFleet(SIZE);
    ({ url } = fleet);
  });
  after(() => fleet?.stop());
  beforeEach(async () => {
    assert.ok(fleet !== undefined);
    ({ page } = await panel.openAt(fleet, "/"));
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  // A request that a test still answers must not outlive the page.
  afterEach(() => page.unrouteAll({ behavior: "wait" }));

  it("shows its nodes a page at a time on the overview", async () => {
    const nodes = page.getByRole("region", { name: "Nodes" });
    await nodes.getByText(`1 – 25 of ${NODES}`).waitFor();
    await assertBounded(page);
    const hottest = await loadsOf(nodes);
    await nodes.getByRole("button", { name: "Last page" }).click();
    await nodes.getByText(`626 – ${NODES} of ${NODES}`).waitFor();
    await nodes
      .locator("tbody tr")
      .nth(NODES - 625)
      .waitFor({ state: "detached" });
    const coolest = await loadsOf(nodes);
    assert.deepEqual([hottest.length, coolest.length], [25, 5]);
    assert.ok(Math.min(...hottest) > Math.max(...coolest), `${hottest.join()} before ${coolest.join()}`);
  });

  it("finds what is behind the first page in the palette, and leads to all that fits", async () => {
    await showPalette(page);
    await page.keyboard.type("evacuate host0207");
    await page.getByRole("option", { name: /^Evacuate host0207 select/ }).waitFor();
    const search = page.getByRole("combobox", { name: "Search" });
    await search.fill("guest-0012");
    await page.getByRole("group", { name: "Guests · 8 of 99" }).waitFor();
    await page.getByRole("option", { name: "All 99 matching guests" }).click();
    await page.waitForURL(/guests\?search=guest-0012/);
    await page.getByText("1 – 50 of 99").waitFor();
  });

  it("gets guests from the service a page at a time, also when they are searched and sorted", async () => {
    const sizes: number[] = [];
    // Before the page has it: a browser drops the body of an answer that its page no longer needs.
    await page.route("**/graphql", async (route) => {
      if (!route.request().postData()?.includes("query Guests")) return route.continue();
      const response = await route.fetch();
      const { data } = guestsAnswer.safeParse(await response.json());
      if (data !== undefined) sizes.push(data.data.guests.items.length);
      return route.fulfill({ response });
    });
    await page.goto(`${url}/guests`);
    await page.getByText(/^1 – 50 of 12,\d\d\d$/).waitFor();
    await assertBounded(page);
    await page.getByRole("button", { name: "VMID" }).click();
    await page.getByRole("cell", { name: "101 VM" }).waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText(/^51 – 100 of/).waitFor();
    await page.getByLabel("Name, VMID, IP address or owner").fill("guest-001231");
    await page.getByRole("link", { name: "guest-001231.example.com" }).waitFor();
    await page.getByRole("cell", { name: "101 VM" }).waitFor({ state: "hidden" });
    await assertBounded(page);
    assert.ok(sizes.length >= 4 && Math.max(...sizes) <= 50, sizes.join());
  });

  it("compares the nodes of a balance a page at a time", async () => {
    await page.goto(`${url}/balance`);
    await page.getByText(`1 – 20 of ${NODES}`).waitFor();
    await assertBounded(page);
  });

  it("finds a host behind the first page by typing, and names it when the page comes again", async () => {
    await page.goto(`${url}/guests`);
    const host = page.getByRole("combobox", { name: "Host" });
    await host.click();
    await page.getByRole("option", { name: "160 more: type to search" }).waitFor();
    await page.keyboard.type("0207");
    await page.getByRole("option", { name: "host0207" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/hostId=207/);
    await page
      .getByRole("link", { name: /^host0207 / })
      .first()
      .waitFor();
    await page.reload();
    await page.locator("input[aria-label=Host][value=host0207]").waitFor();
    await host.click();
    await page.keyboard.type("nowhere");
    await page.getByText("No matching hosts").waitFor();
    await page.keyboard.press("Tab");
    await page.locator("input[aria-label=Host][value=host0207]").waitFor();
  });

  it("limits a token to a host behind the first page", async () => {
    await page.goto(`${url}/tokens`);
    await page.getByRole("button", { name: "New token" }).click();
    const form = page.getByRole("dialog", { name: "New API token" });
    await form.getByLabel("Name", { exact: true }).fill("Of two hosts");
    for (const name of ["host0209", "host0003"]) {
      await form.getByRole("combobox", { name: "Hosts" }).fill(name);
      await page.getByRole("option", { name }).click();
    }
    await form.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page
      .getByRole("row", { name: /^Of two hosts/ })
      .getByText("host0209")
      .waitFor();
  });

  it("prefers nodes a page at a time, and offers those of every host as a target", async () => {
    await page.goto(`${url}/placement?cores=1&memoryMb=1024&diskGb=10`);
    const preferred = page.getByRole("region", { name: "Placement preview" });
    await preferred.getByText(`1 – 20 of ${NODES}`).waitFor();
    await assertBounded(page);
    await page.goto(`${url}/evacuations/new?hostId=3`);
    const target = page.getByRole("combobox", { name: "Target", exact: true });
    await target.click();
    await page.getByRole("option", { name: `${NODES - NODES_A_HOST - 50} more: type to search` }).waitFor();
    await assertBounded(page);
    await page.keyboard.type("host0208 / pve208-2");
    await page.getByRole("option", { name: "host0208 / pve208-2" }).click();
    await hasValue(target, "host0208 / pve208-2");
    await target.fill("host0003 /");
    await page.getByText("No matching nodes").waitFor();
  });

  it("shows the beginning of a long refusal, and the rest when it is asked for", async () => {
    const refusal = `no node has room: ${"host / node: 12 GiB of RAM are free, 16 GiB are needed; ".repeat(80)}that is all`;
    await page.route("**/graphql", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(
        /"message":"Host [^"]*"/g,
        JSON.stringify({ message: refusal }).slice(1, -1),
      );
      await route.fulfill({ response, body });
    });
    await page.goto(`${url}/evacuations/new?hostId=5`);
    const guests = page.getByRole("region", { name: "Guests" });
    const more = guests.getByRole("button", { name: "Show all" }).first();
    await more.waitFor();
    assert.equal(await guests.getByText("that is all").count(), 0);
    await more.press("Enter");
    await guests.getByText("that is all").waitFor();
  });

  it("looks through the guests that could leave a host a page at a time", async () => {
    await page.goto(`${url}/evacuations/new`);
    await choose(page, "Host to evacuate", "host0003");
    const guests = page.getByRole("region", { name: "Guests" });
    await guests.getByText(/^1 – 50 of 5\d$/).waitFor();
    await assertBounded(page);
    await guests.getByRole("button", { name: "Last page" }).click();
    await guests.getByText(/^51 – 5\d of 5\d$/).waitFor();
  });
});

/** The greater of CPU and RAM of each line, percent. */
async function loadsOf(nodes: Locator): Promise<number[]> {
  const lines = await nodes.locator("tbody tr").allInnerTexts();
  return lines.map((line) => Math.max(...[...line.matchAll(/(\d+(?:\.\d)?)\s%/g)].map(([, figure]) => Number(figure))));
}

async function assertBounded(page: Page): Promise<void> {
  const elements = await page.evaluate<number>("document.querySelectorAll('*').length");
  assert.ok(elements <= MOST_ELEMENTS, `${elements} elements`);
}
