// Checks which sources a token's allowed IPs let in, and which lines are refused.
import assert from "node:assert/strict";
import { compileAllowedIps, isSourceAllowed } from "../../../src/core/access/allowedIps.js";

function allows(text: string | null, source: string): boolean {
  const compiled = compileAllowedIps(text);
  assert.ok(compiled.ok);
  return isSourceAllowed(compiled.value, source);
}

describe("core/access/allowedIps", () => {
  const decisions: [text: string | null, source: string, allowed: boolean][] = [
    [null, "203.0.113.9", true],
    ["", "203.0.113.9", true],
    [" \n\t\r\n", "2001:db8::1", true],
    ["203.0.113.9", "203.0.113.9", true],
    ["203.0.113.9", "203.0.113.8", false],
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["10.1.2.3/8", "10.9.9.9", true],
    ["0.0.0.0/0", "198.51.100.1", true],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["::/0", "2001:db8::1", true],
    ["::/0", "198.51.100.1", false],
    ["::/0", "::ffff:198.51.100.1", false],
    ["192.0.2.0/24\n2001:db8::/32", "2001:db8:ffff::1", true],
    ["192.0.2.0/24\r\n 2001:db8::/32 ", "192.0.2.77", true],
    ["192.0.2.0/24", "::ffff:192.0.2.77", true],
    ["192.0.2.0/24", "::ffff:c000:24d", true],
    ["::ffff:192.0.2.0/120", "192.0.2.77", true],
    ["::ffff:192.0.2.7", "192.0.2.7", true],
    ["::ffff:0:0/96", "198.51.100.1", true],
    ["203.0.113.9/32", "203.0.113.9", true],
    ["203.0.113.9/32", "203.0.113.8", false],
    ["2001:db8::1/128", "2001:db8::1", true],
    ["2001:db8::1/128", "2001:db8::2", false],
    ["fe80::/10", "fe80::1%eth0", true],
    ["2001:DB8::1", "2001:db8:0:0:0:0:0:1", true],
    ["192.0.2.0/24", "", false],
    ["192.0.2.0/24", "not an address", false],
  ];
  for (const [text, source, allowed] of decisions) {
    it(`${JSON.stringify(text)} ${allowed ? "allows" : "refuses"} ${JSON.stringify(source)}`, () => {
      assert.equal(allows(text, source), allowed);
    });
  }

  const malformed = ["example.com", "10", "10.1", "010.0.0.1", "0x7f.0.0.1", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/"];
  malformed.push(
    "10.0.0.0/8/8",
    "::1/129",
    "::ffff:10.0.0.0/95",
    "fe80::1%eth0",
    "1.2.3.4,5.6.7.8",
    "300.1.1.1",
    ":::",
  );
  for (const line of malformed) {
    it(`refuses the line ${line}`, () => assert.equal(compileAllowedIps(line).ok, false));
  }

  it("names every malformed line by its number", () => {
    assert.deepEqual(compileAllowedIps("10.0.0.1\n\nnonsense\n::1\n1.2.3"), {
      ok: false,
      problems: [
        { field: "allowedIps", message: 'line 3 is neither an IP address nor a CIDR: "nonsense"' },
        { field: "allowedIps", message: 'line 5 is neither an IP address nor a CIDR: "1.2.3"' },
      ],
    });
  });
});
