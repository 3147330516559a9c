// Checks in what a token may not reach beyond the one that makes it.
import assert from "node:assert/strict";
import { compileAllowedIps } from "../../../src/core/access/allowedIps.js";
import { Permission } from "../../../src/core/access/permissions.js";
import { reachProblems, type TokenReach } from "../../../src/core/access/tokenReach.js";

function sources(text: string | null) {
  const compiled = compileAllowedIps(text);
  assert.ok(compiled.ok);
  return compiled.value;
}

const EVERYTHING: TokenReach = {
  scope: null,
  permissions: Object.values(Permission),
  allowedSources: null,
  rateLimit: null,
  expiresAt: null,
};
const BOUNDED: TokenReach = {
  scope: [1, 3],
  permissions: [Permission.HOSTS_READ, Permission.HOSTS_MANAGE],
  allowedSources: sources("203.0.113.0/24\n2001:db8::/32"),
  rateLimit: 60,
  expiresAt: new Date("2027-01-01T00:00:00Z"),
};
const fieldsOf = (own: TokenReach, wanted: TokenReach) => reachProblems(own, wanted).map(({ field }) => field);

describe("core/access/tokenReach", () => {
  it("lets a token make one like itself, and one without bounds any", () => {
    assert.deepEqual(fieldsOf(BOUNDED, BOUNDED), []);
    assert.deepEqual(fieldsOf(EVERYTHING, EVERYTHING), []);
    assert.deepEqual(fieldsOf(EVERYTHING, BOUNDED), []);
  });

  it("names every field of one that reaches further", () => {
    const all = ["connectionScope", "permissions", "allowedIps", "rateLimit", "expiresAt"];
    assert.deepEqual(fieldsOf(BOUNDED, EVERYTHING), all);
  });

  const cases: readonly (readonly [title: string, change: Partial<TokenReach>, field: string | null])[] = [
    ["fewer hosts", { scope: [3] }, null],
    ["one host more", { scope: [1, 2, 3] }, "connectionScope"],
    ["fewer permissions", { permissions: [Permission.HOSTS_READ] }, null],
    ["another permission", { permissions: [Permission.USERS_MANAGE] }, "permissions"],
    ["an address within", { allowedSources: sources("203.0.113.9") }, null],
    ["the mapped form of one", { allowedSources: sources("::ffff:203.0.113.0/121") }, null],
    ["networks within", { allowedSources: sources("203.0.113.128/25\n2001:db8:1::/48") }, null],
    ["a wider network", { allowedSources: sources("203.0.112.0/23") }, "allowedIps"],
    ["another address beside", { allowedSources: sources("203.0.113.9\n198.51.100.1") }, "allowedIps"],
    ["every address of one family", { allowedSources: sources("::/0") }, "allowedIps"],
    ["a lower rate", { rateLimit: 59 }, null],
    ["a higher rate", { rateLimit: 61 }, "rateLimit"],
    ["the rate 0, which is none", { rateLimit: 0 }, "rateLimit"],
    ["an earlier end", { expiresAt: new Date("2026-12-31T23:59:59Z") }, null],
    ["a later end", { expiresAt: new Date("2027-01-01T00:00:00.001Z") }, "expiresAt"],
  ];
  for (const [title, change, field] of cases) {
    it(`${field === null ? "allows" : "refuses"} ${title}`, () => {
      assert.deepEqual(fieldsOf(BOUNDED, { ...BOUNDED, ...change }), field === null ? [] : [field]);
    });
  }
});
