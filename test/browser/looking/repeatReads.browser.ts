// Reads that a busy service refuses are sent again, changes are not, and a page that could not be read recovers with the connection.
import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { z } from "zod";
import { presentRefusal } from "../../../graphql/errorPresentation.js";
import { tooManyAtOnce } from "../../../src/concurrency/fairLine.js";
import { enterCredentials, panel } from "../support/panel.js";

/** The service's own answer when it has too many requests. */
const BUSY = { status: 503, headers: { "retry-after": "1" }, json: { errors: [presentRefusal(tooManyAtOnce())] } };
/** More than the panel waits before it repeats a read. */
const PAST_DELAY_MS = 9_000;

const operation = z.object({ operationName: z.string() });

/** Answers this operation by `reply`, which knows how often it was sent before. @returns how often it was sent */
async function answer(
  page: Page,
  name: string,
  reply: (route: Route, before: number) => Promise<void>,
): Promise<() => number> {
  let sent = 0;
  await page.route("**/graphql", async (route) => {
    const { data } = operation.safeParse(route.request().postDataJSON());
    await (data?.operationName === name ? reply(route, sent++) : route.fallback());
  });
  return () => sent;
}

describe("a busy service", () => {
  it("is asked again for what it did not answer", async () => {
    const { page } = await panel.open("/settings");
    const sent = await answer(page, "Plans", (route, before) => (before < 2 ? route.fulfill(BUSY) : route.continue()));
    await page.goto(`${panel.url}/plans`);
    await page.getByRole("row", { name: /Medium/ }).waitFor();
    assert.ok(sent() >= 3, `sent ${sent()} times`);
  });

  it("is asked no more for a page that was left", async () => {
    // A clock that is set is one of all pages that share a session.
    const { page } = await panel.openAsNobody();
    await page.clock.install();
    await page.goto(panel.url);
    await enterCredentials(page, panel.admin);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const sent = await answer(page, "Plans", (route) => route.fulfill(BUSY));
    const refused = (): Promise<unknown> => page.waitForResponse((response) => response.status() === BUSY.status);
    await Promise.all([refused(), page.goto(`${panel.url}/plans`)]);
    await Promise.all([refused(), page.clock.fastForward(PAST_DELAY_MS)]);
    const menu = page.getByRole("navigation", { name: "Pages" });
    await menu.getByRole("link", { name: "Hosts" }).click();
    await page.getByRole("row", { name: /^amsterdam/ }).waitFor();
    const before = sent();
    await page.clock.fastForward(PAST_DELAY_MS);
    await menu.getByRole("link", { name: "Users" }).click();
    await page.getByRole("link", { name: "anna" }).waitFor();
    assert.equal(sent(), before);
  });

  it("receives a change once", async () => {
    const { page } = await panel.openAsNobody();
    await page.clock.install();
    const sent = await answer(page, "SignIn", (route, before) =>
      before === 0 ? route.fulfill(BUSY) : route.continue(),
    );
    await page.goto(panel.url);
    await enterCredentials(page, panel.admin);
    await page.getByRole("alert").getByText("too many requests at once").waitFor();
    await page.clock.fastForward(PAST_DELAY_MS);
    await enterCredentials(page, panel.admin);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    assert.equal(sent(), 2);
  });
});

describe("a page that could not be read", () => {
  it("is read when the first connection is there", async () => {
    const { page } = await panel.open("/settings");
    let isAway = true;
    await page.routeWebSocket("**/graphql", (socket) => {
      if (isAway) void socket.close({ code: 1013 });
      else socket.connectToServer();
    });
    await answer(page, "Plans", (route) => (isAway ? route.abort("connectionrefused") : route.continue()));
    await page.goto(`${panel.url}/plans`);
    await page.getByRole("alert").getByText("Data could not be loaded").waitFor();
    isAway = false;
    await page.getByRole("row", { name: /Medium/ }).waitFor();
    await page.getByText("Data could not be loaded").waitFor({ state: "detached" });
  });
});
