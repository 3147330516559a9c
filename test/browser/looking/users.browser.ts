// The accounts of others in the panel: edited, disabled and enabled, given a password, signed out; and what is not offered.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { z } from "zod";
import { secondPerson } from "../support/ask.js";
import { agree, choose, enterCredentials, panel } from "../support/panel.js";
import { recordNotices } from "../support/passing.js";
import { makePerson, openAs, openSession, type Person } from "../support/people.js";

const own = z.object({ viewer: z.object({ user: z.object({ id: z.number() }) }) });
const operation = z.object({ operationName: z.string(), variables: z.object({ userId: z.number().nullish() }) });

describe("a user's account", () => {
  it("is edited: what the service refuses stands at its field", async () => {
    const person = await makePerson("edited", "CUSTOMER");
    const { page, complaints } = await openUser(person);
    const seen = await recordNotices(page);
    await page.getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("dialog", { name: "Edit edited" });
    const email = form.getByLabel("E-mail");
    await email.fill("anna@orchard.example");
    await form.getByLabel("Username").fill("edited.again");
    await form.getByLabel("External ID").fill("C-7001");
    await choose(page, "Role", "Reseller");
    await form.getByRole("button", { name: "Save" }).click();
    await email.and(form.locator("input[aria-invalid=true]:focus")).waitFor();
    await form.getByText(/already in use/).waitFor();
    await email.fill("again@people.example");
    await form.getByRole("button", { name: "Save" }).click();
    await seen("edited.again saved.");
    await page.getByRole("heading", { level: 1, name: "edited.again" }).waitFor();
    for (const fact of ["again@people.example", "reseller", "C-7001"])
      await page.getByRole("definition").getByText(fact, { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("is disabled, which asks its person to sign in and lets nobody in, and enabled again", async () => {
    const person = await makePerson("disabled-one");
    const { page: theirs } = await openAs(person, "/hosts");
    const { page, complaints } = await openUser(person);
    const seen = await recordNotices(page);
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText(/sessions that are open do not count until the account is enabled again/).waitFor();
    await agree(page, "Disable disabled-one?", "Disable disabled-one");
    await seen("disabled-one is disabled.");
    const again = theirs.getByRole("dialog", { name: "Your session has expired" });
    await again.getByLabel("Password", { exact: true }).fill(person.password);
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await again.getByRole("alert").getByText("This account is disabled").waitFor();
    await page.getByRole("link", { name: "Users" }).first().click();
    await page
      .getByRole("row", { name: /^disabled-one disabled / })
      .getByRole("link")
      .click();
    await page.getByText("disabled", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByText("disabled", { exact: true }).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Disable" }).waitFor();
    await again.getByRole("button", { name: "Sign in", exact: true }).click();
    await again.waitFor({ state: "hidden" });
    assert.deepEqual(complaints, []);
  });

  it("gets a password that is shown once and opens it; the one before does not, and its sessions have ended", async () => {
    const person = await makePerson("gets-password");
    const elsewhere = await openSession(person);
    const { page, complaints } = await openUser(person);
    await page.getByRole("row", { name: /^node/ }).waitFor();
    await page.getByRole("button", { name: "Reset password" }).click();
    await agree(page, "Reset the password of gets-password?", "Reset password");
    const shown = page.getByRole("dialog", { name: "Password of gets-password" });
    const password = (await shown.getByTestId("secret").textContent()) ?? "";
    await shown.getByRole("button", { name: "I have saved it" }).click();
    await page.getByText(password).waitFor({ state: "detached" });
    await page.getByText("No open sessions.").waitFor();
    await assert.rejects(elsewhere());
    const { page: theirs } = await panel.openAsNobody();
    await theirs.goto(panel.url);
    await enterCredentials(theirs, person);
    await theirs
      .getByRole("alert")
      .getByText(/password/i)
      .waitFor();
    await enterCredentials(theirs, { ...person, password });
    await theirs.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("has its sessions listed, of which one is ended, or all", async () => {
    const person = await makePerson("signed-out");
    const elsewhere = await openSession(person);
    const { page: theirs } = await openAs(person, "/hosts");
    const { page, complaints } = await openUser(person);
    const seen = await recordNotices(page);
    await page.getByRole("row", { name: /^node/ }).waitFor();
    await page.getByRole("button", { name: /^End the session of Chrome on Linux/ }).click();
    await seen("Session ended.");
    await page.getByRole("row", { name: /^Chrome on Linux/ }).waitFor({ state: "hidden" });
    await theirs.getByRole("dialog", { name: "Your session has expired" }).waitFor();
    await elsewhere();
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await agree(page, "Sign signed-out out everywhere?", "Sign out everywhere");
    await seen("1 session ended.");
    await page.getByText("No open sessions.").waitFor();
    await assert.rejects(elsewhere());
    assert.deepEqual(complaints, []);
  });

  it("that is one's own gets another name, by which its session is signed in from then on", async () => {
    const person = await makePerson("renames-self");
    const { page, complaints } = await openAs(person, `/users/${person.id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("dialog", { name: "Edit renames-self" });
    await form.getByLabel("Username").fill("renamed-self");
    assert.equal(await form.getByLabel("Role").count(), 0);
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Signed in as renamed-self" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Signed in as renamed-self" }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("offers nothing that the viewer may not do, and asks for no sessions that are not theirs to see", async () => {
    const operator = await makePerson("some-operator");
    const customer = await makePerson("some-customer", "CUSTOMER");
    const ask = await secondPerson();
    const { id: adminId } = own.parse(await ask("{ viewer { user { id } } }")).viewer.user;
    const { page, complaints } = await openAs(operator, `/users/${customer.id}`);
    const asked: (number | null | undefined)[] = [];
    page.on("request", (request) => {
      const { data } = operation.safeParse(request.postDataJSON());
      if (data?.operationName === "Sessions") asked.push(data.variables.userId);
    });
    assert.deepEqual(await actions(page), ["Edit", "Disable…", "Reset password…", "Delete…"]);
    await page.getByRole("button", { name: "Edit" }).click();
    await page
      .getByRole("combobox", { name: "Role" })
      .or(page.getByRole("textbox", { name: "Role" }))
      .first()
      .click();
    assert.deepEqual(await page.getByRole("option").allTextContents(), ["Reseller", "Customer"]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "Users" }).first().click();
    await page.getByRole("link", { name: operator.username, exact: true }).click();
    await page.getByRole("row", { name: /this session/ }).waitFor();
    assert.deepEqual(await actions(page), ["Edit"]);
    await page.getByRole("link", { name: "Users" }).first().click();
    await page.getByRole("link", { name: panel.admin.username, exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "SSH keys" }).waitFor();
    await page.getByRole("heading", { level: 1, name: panel.admin.username, exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: /^(?:Edit|Disable|Reset|Delete)/ }).count(), 0);
    assert.equal(await page.getByRole("heading", { name: "Sessions" }).count(), 0);
    await page.getByRole("link", { name: "Users" }).first().click();
    await page.getByRole("link", { name: operator.username, exact: true }).click();
    await page.getByRole("row", { name: /this session/ }).waitFor();
    assert.ok(!asked.includes(adminId), String(asked));
    assert.deepEqual(complaints, []);
  });
});

const openUser = ({ id }: Person) => panel.open(`/users/${id}`);

/** What can be done with the account, once it is shown. */
async function actions(page: Page): Promise<string[]> {
  const found = page.getByRole("button", { name: /^(?:Edit|Disable|Enable|Reset password|Delete)/ });
  await found.first().waitFor();
  return found.allTextContents();
}
