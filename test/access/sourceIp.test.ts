// Tests from which address a request is taken to come, with and without proxies.
import assert from "node:assert/strict";
import { sourceIp, trustedProxies } from "../../src/access/sourceIp.js";

describe("access/sourceIp", () => {
  const cases: readonly {
    readonly title: string;
    readonly socket: string | undefined;
    readonly forwarded?: string;
    readonly proxies?: readonly string[];
    readonly source: string;
  }[] = [
    { title: "the socket's address", socket: "192.0.2.1", source: "192.0.2.1" },
    { title: "IPv4-mapped IPv6 as IPv4", socket: "::ffff:192.0.2.1", source: "192.0.2.1" },
    { title: "IPv6 without its zone", socket: "fe80::1%eth0", source: "fe80::1" },
    { title: "a placeholder when the socket is gone", socket: undefined, source: "0.0.0.0" },
    {
      title: "the socket's address when nobody is trusted",
      socket: "192.0.2.1",
      forwarded: "198.51.100.9",
      source: "192.0.2.1",
    },
    {
      title: "the socket's address when it is not the trusted one",
      socket: "192.0.2.1",
      forwarded: "198.51.100.9",
      proxies: ["192.0.2.2"],
      source: "192.0.2.1",
    },
    {
      title: "what a trusted proxy forwards",
      socket: "::ffff:192.0.2.1",
      forwarded: "198.51.100.9",
      proxies: ["192.0.2.1"],
      source: "198.51.100.9",
    },
    {
      title: "the right-most address that is no proxy, whatever a client put before it",
      socket: "10.0.0.1",
      forwarded: "1.1.1.1, 203.0.113.7, 10.9.9.9",
      proxies: ["10.0.0.0/8"],
      source: "203.0.113.7",
    },
    {
      title: "the farthest proxy when all are proxies",
      socket: "10.0.0.1",
      forwarded: "10.0.0.3, 10.0.0.2",
      proxies: ["10.0.0.0/8"],
      source: "10.0.0.3",
    },
    {
      title: "nothing left of a malformed entry",
      socket: "10.0.0.1",
      forwarded: "203.0.113.7, unknown, 10.0.0.2",
      proxies: ["10.0.0.0/8"],
      source: "10.0.0.2",
    },
    {
      title: "the proxy for an empty header",
      socket: "10.0.0.1",
      forwarded: "",
      proxies: ["10.0.0.0/8"],
      source: "10.0.0.1",
    },
    {
      title: "forwarded IPv4 with a port",
      socket: "10.0.0.1",
      forwarded: "203.0.113.7:4711",
      proxies: ["10.0.0.1"],
      source: "203.0.113.7",
    },
    {
      title: "forwarded IPv6 in brackets with a port",
      socket: "::1",
      forwarded: "[2001:db8::7]:4711",
      proxies: ["::1"],
      source: "2001:db8::7",
    },
    {
      title: "forwarded mapped IPv6 as IPv4",
      socket: "::1",
      forwarded: "::ffff:203.0.113.7",
      proxies: ["::1"],
      source: "203.0.113.7",
    },
    {
      title: "no octal tricks",
      socket: "10.0.0.1",
      forwarded: "0177.0.0.1",
      proxies: ["10.0.0.1"],
      source: "10.0.0.1",
    },
  ];

  for (const { title, socket, forwarded, proxies = [], source } of cases) {
    it(`takes ${title}`, () => {
      assert.equal(sourceIp({ socketAddress: socket, forwardedFor: forwarded }, trustedProxies(proxies)), source);
    });
  }

  it("refuses a malformed proxy", () => {
    assert.throws(() => trustedProxies(["10.0.0.0/8", "proxy.example"]), /line 2 .*proxy\.example/);
  });
});
