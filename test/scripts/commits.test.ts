// Messages of commits: their scopes are a closed list in docs/engineering.md, their lines are short.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

interface Commits {
  scopesIn(markdown: string): ReadonlySet<string>;
  faultsOf(message: string, scopes: ReadonlySet<string>): string[];
}

const SCRIPT: string = new URL("../../../scripts/commits.mjs", import.meta.url).href;
const ENGINEERING = new URL("../../../docs/engineering.md", import.meta.url);

describe("messages of commits", () => {
  let commits: Commits;
  before(async () => {
    commits = await import(SCRIPT);
  });

  const scopes = new Set(["store", "docs"]);

  it("have a scope of the list, a subject and a body that explains", () => {
    assert.deepEqual(commits.faultsOf("store: one condition says that a lease is held\n\nWhy.\n", scopes), []);
  });

  for (const [why, message] of [
    ["an unknown scope", "stores: one condition"],
    ["no scope", "One condition says that a lease is held"],
    ["nothing behind the scope", "store: "],
    ["a full stop", "store: one condition."],
    ["a subject of 73 characters", `store: ${"x".repeat(66)}`],
    ["a body without an empty line before it", "store: one condition\nWhy."],
    ["a line of the body of 73 characters", `store: one condition\n\n${"x ".repeat(36)}x`],
  ] as const) {
    it(`are refused for ${why}`, () => {
      assert.notDeepEqual(commits.faultsOf(message, scopes), []);
    });
  }

  it("may have a long address in the body, which cannot be wrapped", () => {
    assert.deepEqual(commits.faultsOf(`store: one condition\n\nhttps://example.com/${"x".repeat(80)}`, scopes), []);
  });

  it("choose among the scopes of the document", () => {
    const listed = commits.scopesIn(readFileSync(ENGINEERING, "utf8"));
    assert.ok(listed.has("store") && listed.has("moves"));
    assert.ok(!listed.has("migration"));
  });
});
