// What configurations the agent takes, and that a bad one has all its faults named at once.
import assert from "node:assert/strict";
import { ConfigError, parseConfig } from "../../agent/config.js";

const DEFAULTS = { node: "pve1", stateDirectory: "/var/lib/drover-agent" };
const GOOD = { url: "https://panel.example", token: "secret" };
const DIGITS = "ab".repeat(32);

describe("agent configuration", () => {
  it("fills in what is left out", () => {
    const config = parseConfig({ ...GOOD, url: "https://panel.example/base/" }, DEFAULTS);
    assert.equal(config.url, "https://panel.example/base");
    assert.equal(config.platform, "proxmox");
    assert.equal(config.node, "pve1");
    assert.equal(config.stateDirectory, "/var/lib/drover-agent");
    assert.equal(config.publicAddress, undefined);
  });

  it("takes a fingerprint with colons in capitals", () => {
    const fingerprint = (DIGITS.match(/../g) ?? []).join(":").toUpperCase();
    assert.equal(parseConfig({ ...GOOD, fingerprint }, DEFAULTS).fingerprint, DIGITS);
  });

  const good: [string, object][] = [
    ["http on a loopback address", { url: "http://127.0.0.1:4000" }],
    ["http on the IPv6 loopback", { url: "http://[::1]:4000" }],
    ["the simulated platform", { platform: "control", control: "http://127.0.0.1:9000" }],
    ["an IPv6 public address", { public_address: "2001:db8::1" }],
  ];
  for (const [name, more] of good) it(`takes ${name}`, () => assert.ok(parseConfig({ ...GOOD, ...more }, DEFAULTS)));

  const bad: [string, object, RegExp][] = [
    ["no url", { url: undefined }, /url is missing/],
    ["no URL", { url: "panel" }, /url is not a URL/],
    ["another scheme", { url: "ftp://panel" }, /url must start with/],
    ["plain http", { url: "http://panel.example" }, /url must be https/],
    ["a user in the url", { url: "https://a:b@panel" }, /user or a password/],
    ["a query in the url", { url: "https://panel?x=1" }, /query/],
    ["no token", { token: undefined }, /token or token_file is missing/],
    ["two tokens", { token_file: "/t" }, /exclude each other/],
    ["a token with a line break", { token: "a\nb" }, /characters that no token has/],
    ["an empty token", { token: "" }, /not empty/],
    ["a relative path", { ca: "ca.pem" }, /ca must be an absolute path/],
    ["a short fingerprint", { fingerprint: "ab:cd" }, /64 hexadecimal/],
    ["ca and fingerprint", { ca: "/ca.pem", fingerprint: DIGITS }, /ca and fingerprint exclude/],
    ["a fingerprint without TLS", { url: "http://localhost", fingerprint: DIGITS }, /need an https url/],
    ["another platform", { platform: "vmware" }, /must be "proxmox" or "control"/],
    ["control without its address", { platform: "control" }, /control is missing/],
    ["an address without control", { control: "http://127.0.0.1:1" }, /only for platform/],
    ["a bad node name", { node: "pve_1" }, /node must be/],
    ["a bad public address", { public_address: "1.2.3" }, /public_address must be/],
    ["an unknown key", { tokn: "x" }, /tokn is not known/],
    ["a number", { node: 5 }, /node must be a text/],
  ];
  for (const [name, more, fault] of bad) {
    it(`refuses ${name}`, () => assert.throws(() => parseConfig({ ...GOOD, ...more }, DEFAULTS), fault));
  }

  it("names every fault in one message, and no secret", () => {
    assert.throws(
      () => parseConfig({ token: "se cret", platform: "x", node: "-", extra: 1 }, DEFAULTS),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.faults.length, 5);
        assert.doesNotMatch(error.message, /se cret/);
        return true;
      },
    );
  });

  for (const input of [null, [], "x", 1]) {
    it(`refuses ${JSON.stringify(input)}`, () => assert.throws(() => parseConfig(input, DEFAULTS), /JSON object/));
  }
});
