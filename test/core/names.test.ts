// Checks which names, VMIDs and tags are well formed.
import assert from "node:assert/strict";
import {
  isBridgeName,
  isGuestName,
  isNodeName,
  isTag,
  isTokenName,
  isUserName,
  vmidOrNull,
} from "../../src/core/names.js";

const label63 = "a".repeat(63);
const name253 = `${label63}.${label63}.${label63}.${"a".repeat(61)}`;

const cases: [subject: string, test: (text: string) => boolean, good: string[], bad: string[]][] = [
  [
    "a node name",
    isNodeName,
    ["pve1", "a", "9", "PVE-1", label63],
    ["", "-a", "a-", "a.b", "a_b", `${label63}a`, "a\n"],
  ],
  [
    "a guest name",
    isGuestName,
    ["web1", "web-1.example.com", "a", name253],
    ["", ".", "a.", ".a", "a..b", "a_b", "-a", "a-.b", "ä", `a${name253}`, `${label63}a`, "a b", "a\n"],
  ],
  [
    "a user with its realm",
    isUserName,
    [
      "root@pam",
      "jane@example.com@corp",
      "ldap.user_1@my-realm",
      "ü@pve",
      "EXAMPLE\\jane@ad",
      "it's+me,you;them!%25@p.v-e_1",
      "a!b@c!d@pve",
      `${"a".repeat(60)}@pve`,
      `${"😀".repeat(60)}@pve`,
    ],
    [
      "",
      "root",
      "@pam",
      "root@",
      "root@p",
      "root@1pam",
      "root@-pam",
      "root@pa m",
      "root@pam!panel",
      "root@päm",
      "a b@pam",
      "a:b@pam",
      "a/b@pam",
      "a\u0007b@pam",
      "a\u00a0b@pam",
      "root@pam\n",
      "root@pa\u212a",
      "ro\ud800t@pam",
      `${"a".repeat(61)}@pve`,
    ],
  ],
  [
    "a token's name",
    isTokenName,
    ["panel", "p1", "P.a-n_el"],
    ["", "p", "1panel", "_panel", "pa nel", "pa!nel", "pänel", "panel\n", "pa\u212a"],
  ],
  [
    "a bridge's name",
    isBridgeName,
    ["vmbr0", "vmbr0.100", "br-lan", "10gbr", "_x", "v", "a".repeat(15)],
    ["", "a".repeat(16), "vm br0", "vmbr0,x", "vmbr0:1", "br/0", "brü", "vmbr0\n", ".", ".."],
  ],
  ["a tag", isTag, ["web", "drover-migrated", "_x", "1.2+3", "Web"], ["", "-a", "a b", "a;b", "a,b", ".a", "ä"]],
];

describe("core/names", () => {
  for (const [subject, test, good, bad] of cases) {
    for (const text of good) it(`${JSON.stringify(text)} is ${subject}`, () => assert.equal(test(text), true));
    for (const text of bad) it(`${JSON.stringify(text)} is not ${subject}`, () => assert.equal(test(text), false));
  }

  for (const [value, vmid] of [
    [99, null],
    [100, 100],
    ["100", 100],
    [999_999_999, 999_999_999],
    [1_000_000_000, null],
    ["1e3", null],
    [100.5, null],
    [null, null],
  ]) {
    it(`reads VMID ${JSON.stringify(value)} as ${vmid}`, () => assert.equal(vmidOrNull(value), vmid));
  }
});
