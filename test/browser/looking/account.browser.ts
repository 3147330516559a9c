// One's own account in the panel: the password is changed, and sessions are looked at and ended.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../../support/eventually.js";
import { agree, panel, showPalette } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";
import { makePerson, openAs, openSession } from "../support/people.js";

const GOOD = "a password of one test alone";
/** Long enough, and one of those that are tried first. */
const COMMON = "1234567890";

describe("one's own account", () => {
  it("gets another password, and nothing is signed out for one that is wrong or weak", async () => {
    const person = await makePerson("changes-password");
    const elsewhere = await openSession(person);
    const { page, complaints } = await openAs(person, "/");
    const seen = await recordNotices(page);
    await page.getByRole("button", { name: `Signed in as ${person.username}` }).click();
    await page.getByRole("menuitem", { name: "Account" }).click();
    await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
    await page.getByText(`${person.username}@people.example`).waitFor();
    await rows(page, /^node/).waitFor();
    await page.getByRole("button", { name: "Change password" }).click();
    const form = page.getByRole("dialog", { name: "Change password" });
    await form.getByText(/^At least 10 characters/).waitFor();

    await send(form, { current: person.password, next: "short" });
    await isWrong(form, "New password", /at least 10 characters/);
    await send(form, { current: person.password, next: person.username.toUpperCase() });
    await isWrong(form, "New password", /must not be the user name/);
    await send(form, { current: person.password, next: COMMON });
    await isWrong(form, "New password", /tried first/);
    await send(form, { current: person.password, next: GOOD, again: `${GOOD}, almost` });
    await isWrong(form, "New password again", /differ/);
    await send(form, { current: "not this one", next: GOOD });
    await isWrong(form, "Present password", /wrong/);
    await elsewhere();

    await send(form, { current: person.password, next: GOOD });
    await seen("Password changed. Your other sessions have ended.");
    await form.waitFor({ state: "hidden" });
    await rows(page, /^node/).waitFor({ state: "hidden" });
    await rows(page, /this session/).waitFor();
    await assert.rejects(elsewhere());
    await assert.rejects(openSession(person));
    await openSession({ ...person, password: GOOD });
    assert.deepEqual(complaints, []);
  });

  it("shows who signed in from where, and who tried", async () => {
    const person = await makePerson("looks-at-sign-ins");
    await openSession(person);
    await assert.rejects(openSession({ ...person, password: "not this one" }));
    const { page, complaints } = await openAs(person, "/account");
    const tried = page.getByRole("row", { name: /Wrong password .*127\.0\.0\.1/ });
    await tried.getByText("node").waitFor();
    await page.getByRole("row", { name: /Signed in .*127\.0\.0\.1.* new address/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("has a list of its sessions, of which each other one can be ended, or all at once", async () => {
    const person = await makePerson("ends-sessions");
    const others = [await openSession(person), await openSession(person), await openSession(person)];
    const { page, complaints } = await openAs(person, "/account");
    const seen = await recordNotices(page);
    await number(rows(page, /^node/), 3);
    const present = rows(page, /this session/);
    await present.getByText("Chrome on Linux").waitFor();
    assert.equal(await present.getByRole("button").count(), 0);
    await rows(page, /^node/).first().getByRole("button", { name: "End the session of node" }).click();
    await seen("Session ended.");
    await number(rows(page, /^node/), 2);
    assert.equal(await stillOpen(others), 2);
    await page.getByRole("button", { name: "Sign out everywhere else" }).click();
    await agree(page, "Sign out everywhere else?", "Sign out everywhere else");
    await seen("2 sessions ended.");
    await number(rows(page, /^node/), 0);
    await present.waitFor();
    assert.equal(await stillOpen(others), 0);
    assert.deepEqual(complaints, []);
  });

  it("is found in the palette", async () => {
    const { page } = await panel.open("/plans");
    await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
    await showPalette(page);
    await page.keyboard.type("account");
    await page.getByRole("option", { name: /^Account/ }).click();
    await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
  });
});

const rows = (page: Page, name: RegExp): Locator => page.getByRole("row", { name });

const number = (found: Locator, wanted: number): Promise<void> =>
  eventually(async () => assert.equal(await found.count(), wanted));

interface Typed {
  readonly current: string;
  readonly next: string;
  readonly again?: string;
}

async function send(form: Locator, { current, next, again = next }: Typed): Promise<void> {
  await form.getByLabel("Present password", { exact: true }).fill(current);
  await form.getByLabel("New password", { exact: true }).fill(next);
  await form.getByLabel("New password again", { exact: true }).fill(again);
  await form.getByRole("button", { name: "Change password" }).click();
}

/** The field is led to, and says why. */
async function isWrong(form: Locator, label: string, why: RegExp): Promise<void> {
  await form.getByLabel(label, { exact: true }).and(form.locator("input[aria-invalid=true]:focus")).waitFor();
  await form.getByText(why).waitFor();
}

async function stillOpen(sessions: readonly (() => Promise<unknown>)[]): Promise<number> {
  const uses = await Promise.allSettled(sessions.map((use) => use()));
  return uses.filter(({ status }) => status === "fulfilled").length;
}
