// Signing in and out in a real browser.
import assert from "node:assert/strict";
import type { Request, Route } from "playwright-core";
import { until } from "../../support/until.js";
import { endSession, sessionCookie } from "../support/ask.js";
import { hasValue } from "../support/fields.js";
import { enterCredentials, panel } from "../support/panel.js";

/** What a page asks for and what it ends, in the page's own order: the browser's events come in another. */
const NOTE_REQUESTS = `{
  const send = window.fetch;
  window.noted = [];
  window.fetch = (address, options) => {
    const operation = JSON.parse(options.body).operationName;
    window.noted.push("asks " + operation);
    options.signal.addEventListener("abort", () => window.noted.push("ends " + operation));
    return send(address, options);
  };
}`;

/** The end of a cookie that lasts no longer than its browser is open. */
const OF_THE_BROWSER = -1;
const BUSY = { errors: [{ message: "Busy", extensions: { code: "UNAVAILABLE", retryAfterSeconds: 2 } }] };

const isSignIn = (request: Request): boolean => request.postData()?.includes('"operationName":"SignIn"') ?? false;

const asksToSignOut = (request: Request): boolean => request.postData()?.includes('"operationName":"SignOut"') ?? false;

const asksForGuests = (request: Request): boolean => request.postData()?.includes('"operationName":"Guests"') ?? false;

describe("signing in", () => {
  it("reports it when the password is wrong", async () => {
    const { page } = await panel.openAsNobody();
    await page.goto(panel.url);
    await enterCredentials(page, { ...panel.admin, password: "not this one" });
    await page
      .getByRole("alert")
      .getByText(/password/i)
      .waitFor();
    assert.equal(new URL(page.url()).pathname, "/sign-in");
  });

  it("leads to the page that was asked for, and out again", async () => {
    const { page, complaints } = await panel.openAsNobody();
    await page.goto(`${panel.url}/guests?search=ams1&status=RUNNING`);
    await enterCredentials(page, panel.admin);
    await page.getByRole("heading", { level: 1, name: "Guests" }).waitFor();
    const search = page.getByLabel("Name, VMID, IP address or owner");
    await hasValue(search, "ams1");
    await page.getByRole("button", { name: `Signed in as ${panel.admin.username}` }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Drover" }).waitFor();
    assert.equal(await page.evaluate("localStorage.getItem('drover.signedIn')"), null);
    assert.deepEqual(complaints, []);
  });

  it("keeps the session where no script can read it, until the browser is closed", async () => {
    const { page } = await panel.openAsNobody();
    await page.goto(panel.url);
    await enterCredentials(page, panel.admin);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const { value = "", expires, httpOnly, sameSite } = (await sessionCookie(page.context())) ?? {};
    assert.match(value, /^drc_/);
    assert.deepEqual({ expires, httpOnly, sameSite }, { expires: OF_THE_BROWSER, httpOnly: true, sameSite: "Strict" });
    const readable = await page.evaluate<string>("JSON.stringify([document.cookie, localStorage, sessionStorage])");
    assert.ok(!/dr[vsac]_/.test(readable), readable);
  });

  it("keeps the session for 30 days, also after the browser is closed, with “Stay signed in”", async () => {
    const { page } = await panel.openAsNobody();
    await page.goto(panel.url);
    await page.getByRole("checkbox", { name: "Stay signed in" }).check();
    const signedIn = page.waitForResponse((response) => isSignIn(response.request()));
    await enterCredentials(page, panel.admin);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    assert.match((await (await signedIn).headerValue("set-cookie")) ?? "", /; Max-Age=2592000;/);
    assert.notEqual((await sessionCookie(page.context()))?.expires, OF_THE_BROWSER);
  });

  for (const [what, answer] of [
    ["out of reach", (route: Route) => route.abort()],
    ["too busy", (route: Route) => route.fulfill({ status: 503, json: BUSY })],
  ] as const) {
    it(`ends the session at the service later, when it was ${what} at signing out`, async () => {
      const { page } = await panel.openAsNobody();
      await page.goto(panel.url);
      await enterCredentials(page, panel.admin);
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      await page.route("**/graphql", (route) => (asksToSignOut(route.request()) ? answer(route) : route.continue()));
      const asked = page.waitForRequest(asksToSignOut);
      await page.getByRole("button", { name: `Signed in as ${panel.admin.username}` }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await (await asked).response();
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      assert.notEqual(await sessionCookie(page.context()), undefined);
      await page.unroute("**/graphql");
      const ended = page.waitForResponse((response) => asksToSignOut(response.request()));
      await page.reload();
      assert.deepEqual(await (await ended).json(), { data: { logout: true } });
      await until("no sign-out is outstanding", () =>
        page.evaluate<boolean>("localStorage.getItem('drover.signOut') === null"),
      );
      assert.equal(await sessionCookie(page.context()), undefined);
    });
  }

  it("deletes the token that an earlier release kept in the browser", async () => {
    const { page } = await panel.openAsNobody();
    await page.goto(`${panel.url}/sign-in`);
    await page.evaluate(`localStorage.setItem("drover.session", '{"token":"drs_kept"}')`);
    await page.goto(`${panel.url}/hosts`);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    assert.equal(await page.evaluate("localStorage.getItem('drover.session')"), null);
  });

  for (const [what, kept] of [
    ["that cannot be read", "{"],
    ["of another form", '{"username":"admin"}'],
  ] as const) {
    it(`leads from a session ${what} to the form, and from there on`, async () => {
      const { page, complaints } = await panel.openAsNobody();
      await page.goto(`${panel.url}/sign-in`);
      await page.evaluate(`localStorage.setItem("drover.signedIn", ${JSON.stringify(kept)})`);
      await page.goto(`${panel.url}/hosts`);
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      await enterCredentials(page, panel.admin);
      await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
      assert.deepEqual(complaints, []);
    });
  }

  it("asks for the password where the browser has lost the cookie", async () => {
    const { page } = await panel.openAsNobody();
    await page.goto(`${panel.url}/hosts`);
    await enterCredentials(page, panel.admin);
    await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    await page.reload();
    await page.getByRole("table").waitFor();
    // The page that is open would notice it on its own.
    await page.goto("about:blank");
    await page.context().clearCookies();
    await page.goto(`${panel.url}/hosts`);
    const dialog = page.getByRole("dialog", { name: "Your session has expired" });
    await dialog.getByLabel("Password", { exact: true }).fill(panel.admin.password);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("table").waitFor();
  });

  it("ends what the page asks for before the session, and asks for nothing afterwards", async () => {
    const { page } = await panel.openAsNobody();
    await page.addInitScript(NOTE_REQUESTS);
    await page.goto(`${panel.url}/guests`);
    await enterCredentials(page, panel.admin);
    await page.getByRole("status").getByText("Live").waitFor();
    await page.getByRole("table").waitFor();
    await page.route("**/graphql", (route) => (asksForGuests(route.request()) ? undefined : route.continue()));
    const held = page.waitForRequest(asksForGuests);
    await page.getByLabel("Name, VMID, IP address or owner").fill("ams1");
    await held;
    await page.getByRole("button", { name: `Signed in as ${panel.admin.username}` }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Drover" }).waitFor();
    const noted = await page.evaluate<string[]>("noted");
    const last = noted.slice(noted.lastIndexOf("asks Guests"));
    // The answer to signing out may be there, or not yet: nobody waits for it.
    const asked = last.filter((note) => note !== "ends SignOut");
    assert.deepEqual(asked, ["asks Guests", "ends Guests", "asks SignOut"]);
  });

  it("asks for the password over a page whose session has ended, and keeps what was typed on it", async () => {
    const { page } = await panel.openAsNobody();
    await page.goto(`${panel.url}/guests/new`);
    await enterCredentials(page, panel.admin);
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("kept.example.com");
    await page.getByRole("status").getByText("Live").waitFor();
    await endSession(page.context());
    const dialog = page.getByRole("dialog", { name: "Your session has expired" });
    await dialog.getByLabel("Password", { exact: true }).fill("not this one");
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog
      .getByRole("alert")
      .getByText(/password/i)
      .waitFor();
    await dialog.getByLabel("Password", { exact: true }).fill(panel.admin.password);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("status").getByText("Live").waitFor();
    await hasValue(name, "kept.example.com");
    assert.equal(new URL(page.url()).pathname, "/guests/new");
  });

  it("signs every tab out with one", async () => {
    const { page } = await panel.openAsNobody();
    await page.goto(panel.url);
    await enterCredentials(page, panel.admin);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${panel.url}/hosts`);
    await other.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    await page.getByRole("button", { name: `Signed in as ${panel.admin.username}` }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await other.getByRole("button", { name: "Sign in" }).waitFor();
  });
});
