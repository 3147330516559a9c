// However large the fleet, a page lays out a bounded number of elements, and guests come from the service a page at a time.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { z } from "zod";
import { startFleet, type RunningFleet } from "./support/fleet.js";
import { enterCredentials, panel } from "./support/panel.js";

const NODES_A_HOST = 150;
const SIZE = { hosts: 4, nodesPerHost: NODES_A_HOST, guests: 2400, history: false };
/** A page of fifty lines with everything around it has about 2,600. */
const MOST_ELEMENTS = 4_000;

const guestsAnswer = z.object({ data: z.object({ guests: z.object({ items: z.array(z.unknown()) }) }) });

describe("a large fleet", () => {
  let fleet: RunningFleet | undefined;
  let url: string;
  let page: Page;

  before(async () => {
    fleet = await startFleet(SIZE);
    ({ url } = fleet);
  });
  after(() => fleet?.stop());
  beforeEach(async () => {
    assert.ok(fleet !== undefined);
    ({ page } = await panel.openAsNobody());
    await page.goto(url);
    await enterCredentials(page, fleet.admin);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  it("tells of its nodes a page at a time on the overview", async () => {
    const nodes = page.getByRole("region", { name: "Nodes" });
    await nodes.getByText(`1 – 25 of ${SIZE.hosts * NODES_A_HOST}`).waitFor();
    await assertBounded(page);
    await nodes.getByRole("button", { name: "Last page" }).click();
    await nodes.getByText(`576 – 600 of ${SIZE.hosts * NODES_A_HOST}`).waitFor();
  });

  it("gets guests from the service a page at a time, also when they are searched and sorted", async () => {
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      const asked = response.request().postDataJSON()?.query ?? "";
      if (String(asked).includes("query Guests")) sizes.push(response.json().then((body) => guestsIn(body)));
    });
    await page.goto(`${url}/guests`);
    await page.getByText(/^1 – 50 of 2\d\d\d$/).waitFor();
    await assertBounded(page);
    await page.getByRole("button", { name: "VMID" }).click();
    await page.getByRole("cell", { name: "101 VM" }).waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText(/^51 – 100 of/).waitFor();
    await page.getByLabel("Search by name or VMID").fill("guest-00123");
    await page.getByRole("link", { name: "guest-001230.example.com" }).waitFor();
    await page.getByRole("cell", { name: "101 VM" }).waitFor({ state: "hidden" });
    await assertBounded(page);
    const told = await Promise.all(sizes);
    assert.ok(told.length >= 4 && Math.max(...told) <= 50, told.join());
  });

  it("compares the nodes of a balance a page at a time", async () => {
    await page.goto(`${url}/balance`);
    await page.getByText(`1 – 20 of ${SIZE.hosts * NODES_A_HOST}`).waitFor();
    await assertBounded(page);
  });
});

const guestsIn = (body: unknown): number => guestsAnswer.parse(body).data.guests.items.length;

async function assertBounded(page: Page): Promise<void> {
  const elements = await page.evaluate<number>("document.querySelectorAll('*').length");
  assert.ok(elements <= MOST_ELEMENTS, `${elements} elements`);
}
