// Tests from which pages a browser may use a session: the service's own, by its address or by what the request says.
import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { Socket } from "node:net";
import { OwnOrigin } from "../../src/access/ownOrigin.js";
import { trustedProxies } from "../../src/access/sourceIp.js";

const PROXY = "192.0.2.1";
const URL = "https://drover.example.com";

interface Sent extends IncomingHttpHeaders {
  /** Where the socket comes from. Default: a browser itself. */
  readonly from?: string;
}

const socketFrom = (address: string): Socket =>
  Object.defineProperty(new Socket(), "remoteAddress", { value: address });

const request = ({ from = "203.0.113.5", ...headers }: Sent, method = "POST") => ({
  headers: { host: "panel:4000", ...headers },
  method,
  socket: socketFrom(from),
});

describe("access/ownOrigin", () => {
  const proxies = trustedProxies([PROXY]);
  const byHost = new OwnOrigin({ url: undefined, proxies });
  const byUrl = new OwnOrigin({ url: `${URL}/`, proxies });

  const proxied = { from: PROXY, "x-forwarded-proto": "https" };
  const cases: readonly (readonly [what: string, own: OwnOrigin, sent: Sent, isOwn: boolean])[] = [
    ["the origin that the request goes to", byHost, { origin: "http://panel:4000" }, true],
    ["another host", byHost, { origin: "http://evil.example" }, false],
    ["another port", byHost, { origin: "http://panel:4001" }, false],
    ["another scheme", byHost, { origin: "https://panel:4000" }, false],
    ["a page without an origin", byHost, { origin: "null" }, false],
    ["a program that names no origin", byHost, {}, true],
    ["a name that begins alike", byHost, { host: "panel", origin: "http://panel.evil.example" }, false],
    ["the origin of the usual port", byHost, { host: "panel:80", origin: "http://panel" }, true],
    ["whatever goes to no host", byHost, { host: "", origin: "http://panel:4000" }, false],
    ["a page with TLS, as a trusted proxy says,", byHost, { ...proxied, host: "panel", origin: "https://panel" }, true],
    [
      "a page with TLS, as the first of two proxies says,",
      byHost,
      { ...proxied, "x-forwarded-proto": "https, http", origin: "https://panel:4000" },
      true,
    ],
    ["a page without TLS behind a proxy with it", byHost, { ...proxied, origin: "http://panel:4000" }, false],
    [
      "a page with TLS, as anybody may say,",
      byHost,
      { "x-forwarded-proto": "https", origin: "https://panel:4000" },
      false,
    ],
    [
      "a page with TLS before a proxy that is not named",
      byHost,
      { origin: "https://panel:4000", "sec-fetch-site": "same-origin" },
      false,
    ],
    ["a sister site", byHost, { origin: "https://a.panel", "sec-fetch-site": "same-site" }, false],
    ["the service's address", byUrl, { origin: URL }, true],
    ["the host of the request, where the address is another", byUrl, { origin: "http://panel:4000" }, false],
    [
      "the host of the request, by the browser's word,",
      byUrl,
      { origin: "http://panel:4000", "sec-fetch-site": "same-origin" },
      false,
    ],
  ];
  for (const [what, own, sent, isOwn] of cases) {
    it(`takes ${what} for ${isOwn ? "the service's own page" : "a foreign page"}`, () => {
      const refusal = own.refusalOf(request(sent));
      assert.equal(refusal?.kind, isOwn ? undefined : "forbidden");
      assert.equal(refusal?.reason, isOwn ? undefined : "WRONG_ORIGIN");
    });
  }

  it("lets a foreign page read what its browser does not call cross-site", () => {
    assert.equal(byHost.refusalOf(request({ origin: "http://evil.example" }, "GET")), null);
    assert.equal(byHost.refusalOf(request({ "sec-fetch-site": "none" }, "GET")), null);
  });

  it("lets nothing be read across sites, with an origin or without", () => {
    for (const origin of [undefined, "http://evil.example", "http://panel:4000"]) {
      const sent = { "sec-fetch-site": "cross-site", ...(origin !== undefined && { origin }) };
      assert.equal(byHost.refusalOf(request(sent, "GET"))?.reason, "WRONG_ORIGIN");
    }
  });

  it("treats what begins as a reading as a change where it is one", () => {
    const handshake = request({ origin: "http://evil.example" }, "GET");
    assert.equal(byHost.refusalOf(handshake, true)?.reason, "WRONG_ORIGIN");
  });

  it("names both addresses, and of a foreign one not more than fits", () => {
    const origin = `http://${"x".repeat(5_000)}.example`;
    const { message } = byUrl.refusalOf(request({ origin })) ?? assert.fail("it is foreign");
    assert.match(message, /^A page of http:\/\/x+ may not use .* https:\/\/drover\.example\.com;/);
    assert.ok(message.length < 500);
  });

  it("takes a request for secure by the service's address, or by a trusted proxy's word", () => {
    assert.equal(byUrl.isSecure(request({})), true);
    assert.equal(byHost.isSecure(request(proxied)), true);
    assert.equal(byHost.isSecure(request({ "x-forwarded-proto": "https" })), false);
    assert.equal(byHost.isSecure(request({ origin: "https://panel:4000" })), false);
  });
});
