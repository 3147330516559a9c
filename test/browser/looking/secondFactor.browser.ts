// Second factors in the panel: set up with an app, due at sign-in, removed, reset, and needed by a role.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "../../support/until.js";
import { codeAt, STEP_MS } from "../../support/secondFactor.js";
import { secondPerson } from "../support/ask.js";
import { agree, enterCredentials, panel } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";
import { makePerson, openAs, type Person } from "../support/people.js";
import { inBothSchemes } from "../support/schemes.js";

const SET_UP = "Set up one-time codes";

describe("a second factor", () => {
  it("is set up with an app, and is due at the next sign-in, where each recovery code counts once", async () => {
    const person = await makePerson("has-second-factor");
    const { page, complaints } = await openAs(person, "/account");
    const codes = await setUp(page);
    await page.getByText("Recovery codes left").waitFor();
    await page.getByRole("button", { name: `Signed in as ${person.username}` }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();

    await enterCredentials(page, person);
    const code = page.getByLabel("Code", { exact: true });
    await code.and(page.locator(":focus")).waitFor();
    await inBothSchemes(page, "sign-in-code");
    await enterCode(page, "");
    await page.getByText("Enter a code").waitFor();
    await enterCode(page, "000000000");
    await page.getByText("The code is wrong, or was used already").waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByLabel("Password", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Sign in" }).click();
    await enterCode(page, codes[0] ?? "");
    await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
    await fact(page, "Recovery codes left", "9").waitFor();
    await page.getByRole("row", { name: /Wrong code/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("is removed with the right password", async () => {
    const person = await makePerson("removes-second-factor");
    const { page, complaints } = await openAs(person, "/account");
    const seen = await recordNotices(page);
    await setUp(page);
    await page.getByRole("button", { name: "Remove…" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove the second factor" });
    const password = dialog.getByLabel("Password", { exact: true });
    await password.fill("not this one");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText("The password is wrong").waitFor();
    await password.fill(person.password);
    await dialog.getByRole("button", { name: "Remove" }).click();
    await seen("The second factor is removed.");
    await fact(page, "One-time codes", "not set up").waitFor();
    assert.deepEqual(complaints, []);
  });

  it("that was lost is removed by who manages the person", async () => {
    const person = await makePerson("loses-second-factor");
    const own = await openAs(person, "/account");
    await setUp(own.page);
    const { page, complaints } = await panel.open(`/users/${person.id}`);
    const seen = await recordNotices(page);
    await fact(page, "Second factor", "set up").waitFor();
    await page.getByRole("button", { name: "Reset second factor…" }).click();
    const title = `Remove the second factor of ${person.username}?`;
    await agree(page, title, "Remove second factor");
    await seen(`The second factor of ${person.username} is removed.`);
    await fact(page, "Second factor", "not set up").waitFor();
    await fact(own.page, "One-time codes", "not set up").waitFor();
    assert.deepEqual([...complaints, ...own.complaints], []);
  });
});

describe("a role that needs a second factor", () => {
  afterEach(() => requireOf([]));

  it("is chosen in the settings; a page that is open leads to setting one up, and goes on then", async () => {
    const customer = await makePerson("needs-second-factor", "CUSTOMER");
    const theirs = await openAs(customer, "/account");
    const { page, complaints } = await panel.open("/settings");
    const seen = await recordNotices(page);
    await page.getByRole("checkbox", { name: "Customer" }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await seen("Settings saved.");
    await setsUp(theirs.page);
    await theirs.page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
    await fact(theirs.page, "One-time codes", "set up").waitFor();
    await page.getByRole("checkbox", { name: "Customer" }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await seen("Settings saved.");
    assert.deepEqual(complaints, []);
  });

  it("leads there right after signing in; who does not want to may sign out", async () => {
    await requireOf(["CUSTOMER"]);
    const customer = await makePerson("must-set-up", "CUSTOMER");
    const page = await signedIn(customer);
    await page.getByRole("heading", { level: 1, name: "Second factor needed" }).waitFor();
    await inBothSchemes(page, "second-factor-needed");
    await page.getByRole("button", { name: "Sign out" }).click();
    await enterCredentials(page, customer);
    await setsUp(page);
    await page.getByRole("status").getByText("Live").waitFor();
  });
});

async function requireOf(roles: readonly string[]): Promise<void> {
  const ask = await secondPerson();
  await ask(
    "mutation ($roles: [UserRole!]) { updateSettings(input: { secondFactorRoles: $roles }) { secondFactorRoles } }",
    {
      roles,
    },
  );
}

async function signedIn(person: Person): Promise<Page> {
  const { page } = await panel.openAsNobody();
  await page.goto(panel.url);
  await enterCredentials(page, person);
  return page;
}

async function setsUp(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1, name: "Second factor needed" }).waitFor();
  await setUp(page);
}

/** @returns the recovery codes */
async function setUp(page: Page): Promise<string[]> {
  await page.getByRole("button", { name: SET_UP }).click();
  const dialog = page.getByRole("dialog", { name: SET_UP });
  await dialog.getByRole("img", { name: "Key of the one-time codes, to be scanned" }).waitFor();
  const secret = (await dialog.getByTestId("key").textContent()) ?? "";
  const kept = page.getByRole("dialog", { name: "Recovery codes" });
  await until("the code is taken", () => isConfirmed({ dialog, kept, secret }));
  const codes = ((await kept.getByTestId("secret").textContent()) ?? "").split("\n");
  assert.equal(codes.length, 10);
  await kept.getByRole("button", { name: "I have saved it" }).click();
  return codes;
}

interface Confirming {
  readonly dialog: Locator;
  readonly kept: Locator;
  readonly secret: string;
}

/** The code of the step to come counts for the longest time; on a machine where even that passes, the next one is tried. */
async function isConfirmed({ dialog, kept, secret }: Confirming): Promise<boolean> {
  await dialog.getByLabel("Code", { exact: true }).fill(codeAt(secret, new Date(Date.now() + STEP_MS)));
  await dialog.getByRole("button", { name: "Confirm" }).click();
  const refused = dialog.getByText(/^The code is wrong/);
  await kept.or(refused).waitFor();
  return kept.isVisible();
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel("Code", { exact: true }).fill(code);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The value beside a name. */
const fact = (page: Page, name: string, value: string): Locator =>
  page.locator("dt", { hasText: name }).locator("+ dd", { hasText: new RegExp(`^${value}$`) });
