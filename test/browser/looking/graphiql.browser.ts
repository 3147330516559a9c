// GraphiQL runs operations as the person who is signed in, in a frame from which nothing of the panel can be reached.
import assert from "node:assert/strict";
import type { Frame, FrameLocator, Page } from "playwright-core";
import { until } from "../../support/until.js";
import { enterCredentials, panel } from "../support/panel.js";

const WRONG_TOKEN = `drv_${"x".repeat(43)}`;

const frameOf = (page: Page): FrameLocator => page.frameLocator("iframe[title='GraphiQL editor']");

const editor = (page: Page, label: string) => frameOf(page).getByRole("region", { name: label });

/** Puts the text into an editor in place of what stands there. After a space the editor adds no bracket of its own. */
async function type(page: Page, label: string, text: string): Promise<void> {
  await editor(page, label).locator(".monaco-editor:visible").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(` ${text}`);
}

/** Waits until the browser keeps this text for the person. */
const keeps = (page: Page, text: string) =>
  until(`the browser keeps ${text}`, () =>
    page.evaluate<boolean>(`(localStorage.getItem("drover.graphiql") ?? "").includes(${JSON.stringify(text)})`),
  );

async function run(page: Page, operation: string): Promise<void> {
  await type(page, "Operation Editor", operation);
  await page.keyboard.press("Control+Enter");
}

/** Waits until the result has this text in it. */
const shows = (page: Page, text: string): Promise<void> =>
  editor(page, "Result Window").getByText(text, { exact: false }).first().waitFor();

/** The document in the frame, once GraphiQL runs in it. */
async function documentOf(page: Page): Promise<Frame> {
  await editor(page, "Operation Editor").waitFor();
  const found = page.frames().find((frame) => frame !== page.mainFrame());
  assert.ok(found);
  return found;
}

describe("GraphiQL", () => {
  it("comes after sign-in, runs a query as who has signed in, and forgets it when they sign out", async () => {
    const { page, complaints } = await panel.openAsNobody();
    await page.goto(`${panel.url}/graphql`);
    await enterCredentials(page, panel.admin);
    await page.getByRole("heading", { level: 1, name: "GraphiQL" }).waitFor();
    await run(page, "{ viewer { user { username } } } # mine");
    await shows(page, panel.admin.username);
    await keeps(page, "# mine");
    await page.reload();
    await editor(page, "Operation Editor").getByText("# mine").waitFor();
    await page.getByRole("button", { name: `Signed in as ${panel.admin.username}` }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Drover" }).waitFor();
    assert.ok(!(await page.evaluate<string>("JSON.stringify(localStorage)")).includes("# mine"));
    assert.deepEqual(complaints, []);
  });

  it("runs a subscription until it is stopped, and a mutation's refusal is shown as it came", async () => {
    const { page, complaints } = await panel.open("/graphql");
    await run(page, "subscription { jobProgress(id: 999999) { status } }");
    await shows(page, "NOT_FOUND");
    await run(page, "subscription { alertsChanged { meta { total } } }");
    await shows(page, "alertsChanged");
    await frameOf(page).getByRole("button", { name: /Stop/ }).click();
    await run(page, "mutation { deleteUser(id: 999999) }");
    await shows(page, "NOT_FOUND");
    assert.deepEqual(complaints, []);
  });

  it("uses the token that is typed as a header, and keeps it nowhere", async () => {
    const { page } = await panel.open("/graphql");
    await frameOf(page).getByRole("button", { name: "Headers" }).click();
    await type(page, "Headers", JSON.stringify({ Authorization: `Bearer ${WRONG_TOKEN}` }));
    await run(page, "{ viewer { permissions } } # theirs");
    await shows(page, "UNAUTHENTICATED");
    assert.equal(await page.getByRole("dialog").count(), 0);
    await keeps(page, "# theirs");
    assert.ok(!(await page.evaluate<string>("JSON.stringify(localStorage)")).includes(WRONG_TOKEN));
  });

  it("reports it when the service cannot be reached", async () => {
    const { page } = await panel.open("/graphql");
    await documentOf(page);
    await page.route("**/graphql", (route) => route.abort());
    await run(page, "{ viewer { permissions } } # unheard");
    await shows(page, "The service cannot be reached");
  });

  it("has the session of the panel in no reach of what runs in its frame", async () => {
    const { page } = await panel.open("/graphql");
    const frame = await documentOf(page);
    for (const reach of ["localStorage", "sessionStorage", "document.cookie", "parent.localStorage", "parent.document"])
      await assert.rejects(frame.evaluate(reach), /SecurityError|sandboxed|cross-origin/i, reach);
    for (const [directive, attempt] of [
      ["connect-src", `fetch("${panel.graphql}").catch(() => {})`],
      ["img-src", `new Image().src = "${panel.url}/favicon.svg"`],
      ["script-src-elem", `document.body.append(Object.assign(document.createElement("script"), { text: "1" }))`],
    ] as const)
      assert.equal(await frame.evaluate<string>(violationOf(attempt)), directive);
  });

  it("stays in its frame: no other address is opened there", async () => {
    const { page } = await panel.open("/graphql");
    const frame = await documentOf(page);
    await page.evaluate(`void (window.violated = ${violationOf("")})`);
    await frame.evaluate("void (location.href = 'https://attacker.example/')");
    assert.equal(await page.evaluate("window.violated"), "frame-src");
  });
});

/** Resolves with what the attempt violates. */
const violationOf = (attempt: string): string => `
  new Promise((resolve) => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective), { once: true });
    ${attempt}
  })`;
