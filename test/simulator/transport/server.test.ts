// Tests the HTTPS side of a simulated host: refusals in the real one's order and words, and its connection handling.
import assert from "node:assert/strict";
import { Agent } from "node:https";
import { connect } from "node:tls";
import type { RunningHost } from "../../../simulator/host.js";
import { startSimulatedHost } from "../../support/host.js";
import type { RawRequest } from "./rawRequest.js";
import { form, rawRequest, tokenHeader } from "./rawRequest.js";

const secret = "11111111-2222-4333-8444-555555555555";
const authorized = tokenHeader(secret);
const formType = { "Content-Type": "application/x-www-form-urlencoded" };

interface Case {
  title: string;
  request: RawRequest;
  status: number;
  reason: string;
  /** Whole body; left out: not compared. */
  text?: string;
  type?: string | undefined;
}

const json = "application/json;charset=UTF-8";

const cases: Case[] = [
  {
    title: "answers an unknown path",
    request: { path: "/api2/json/nosuch", headers: authorized },
    status: 501,
    reason: "Method 'GET /nosuch' not implemented",
    type: json,
  },
  {
    title: "knows no path with a blank in a variable part",
    request: { method: "POST", path: "/api2/json/access/users/root@pam/token/a%20b", headers: authorized },
    status: 501,
    reason: "Method 'POST /access/users/root@pam/token/a b' not implemented",
    type: json,
  },
  {
    title: "takes an escaped slash for a slash",
    request: { path: "/api2/json/nodes%2Fpvea%2Fqemu", headers: authorized },
    status: 200,
    reason: "OK",
    text: '{"data":[]}',
    type: json,
  },
  {
    title: "grants nobody but the superuser's ticket a right on what cannot be a path",
    request: { path: "/api2/json/nodes/pve%21/status", headers: authorized },
    status: 403,
    reason: "Permission check failed (, Sys.Audit)",
    type: json,
  },
  {
    title: "tells extjs the code of a refused parameter as text",
    request: { path: "/api2/extjs/nodes?x=1", headers: authorized },
    status: 200,
    reason: "OK",
    text: '{"data":null,"success":0,"status":"400","message":"Parameter verification failed.\\n","errors":{"x":"property is not defined in schema and the schema does not allow additional properties"}}',
    type: json,
  },
  {
    title: "tells extjs the code of a failed method as a number",
    request: { path: "/api2/extjs/nodes/pvea/qemu/7777/config", headers: authorized },
    status: 200,
    reason: "OK",
    text: `{"data":null,"success":0,"status":500,"message":"Configuration file 'nodes/pvea/qemu-server/7777.conf' does not exist\\n"}`,
    type: json,
  },
  {
    title: "answers an unknown formatter in plain text",
    request: { path: "/api2/xml/nodes", headers: authorized },
    status: 501,
    reason: "no formatter for uri /nodes, xml",
    text: "no formatter for uri /nodes, xml",
    type: undefined,
  },
  {
    title: "answers an address without formatter before it looks at credentials",
    request: { path: "/api2/" },
    status: 501,
    reason: "no such uri",
  },
  {
    title: "answers PATCH with an empty body",
    request: { method: "PATCH", path: "/api2/json/version", headers: authorized },
    status: 501,
    reason: "method 'PATCH' not available",
    text: "",
    type: undefined,
  },
  {
    title: "refuses a body on DELETE",
    request: {
      method: "DELETE",
      path: "/api2/json/nodes/pvea/qemu/100",
      headers: { ...authorized, "Content-Length": "1" },
      body: "x",
    },
    status: 501,
    reason: "Unexpected content for method 'DELETE'",
  },
  {
    title: "refuses chunked bodies",
    request: {
      method: "POST",
      path: "/api2/json/nodes/pvea/qemu",
      headers: { ...authorized, ...formType, "Transfer-Encoding": "chunked" },
      body: "vmid=100",
    },
    status: 501,
    reason: "chunked transfer encoding not supported",
  },
  {
    title: "refuses other content types",
    request: {
      method: "POST",
      path: "/api2/json/nodes/pvea/qemu",
      headers: { ...authorized, "Content-Type": "text/xml", "Content-Length": "3" },
      body: "<a>",
    },
    status: 506,
    reason: "upload 'Content-Type 'text/xml' not implemented",
  },
  {
    title: "refuses bodies above 512 KiB",
    request: {
      method: "POST",
      path: "/api2/json/nodes/pvea/qemu",
      headers: { ...authorized, ...formType, "Content-Length": String(512 * 1024 + 1) },
      body: "x".repeat(512 * 1024 + 1),
    },
    status: 501,
    reason: "for data too large",
  },
  {
    title: "dies on paths outside the API",
    request: { path: "/nodes", headers: authorized },
    status: 500,
    reason: "no such file '/nodes'",
    text: "no such file '/nodes'\n",
  },
  {
    title: "merges the query over the body",
    request: { method: "POST", path: "/api2/json/nodes/pvea/qemu?vmid=abc", ...withToken(form({ vmid: "100" })) },
    status: 400,
    reason: "Parameter verification failed.",
    text: `{"data":null,"message":"Parameter verification failed.\\n","errors":{"vmid":"type check ('integer') failed - got 'abc'"}}`,
  },
  {
    title: "ignores the cache buster and a trailing slash",
    request: { path: "/api2/json/version/?_dc=1", headers: authorized },
    status: 200,
    reason: "OK",
    type: json,
  },
  {
    title: "always answers 200 in extjs",
    request: { path: "/api2/extjs/nodes/pvea/qemu/7777/config", headers: authorized },
    status: 200,
    reason: "OK",
    text: `{"data":null,"success":0,"status":500,"message":"Configuration file 'nodes/pvea/qemu-server/7777.conf' does not exist\\n"}`,
  },
  {
    title: "accepts a token after a space",
    request: { path: "/api2/json/version", headers: { Authorization: `PVEAPIToken root@pam!panel=${secret}` } },
    status: 200,
    reason: "OK",
  },
  {
    title: "refuses a login with a token's header",
    request: {
      method: "POST",
      path: "/api2/json/access/ticket",
      ...withToken(form({ username: "root@pam", password: "x" })),
    },
    status: 403,
    reason: "Permission check failed (URI '/access/ticket' not available with API token, need proper ticket.",
  },
];

function withToken(content: { headers: Record<string, string>; body: string }): {
  headers: Record<string, string>;
  body: string;
} {
  return { ...content, headers: { ...content.headers, ...authorized } };
}

describe("simulated HTTPS server", () => {
  let host: RunningHost;

  before(async () => {
    host = await startSimulatedHost({ name: "pvea", release: "9.2", tokens: [{ id: "root@pam!panel", secret }] });
  });
  after(() => host.close());

  for (const { title, request, status, reason, ...expected } of cases) {
    it(title, async () => {
      const answer = await rawRequest(host.url, request);
      assert.deepEqual({ status: answer.status, reason: answer.reason }, { status, reason });
      if (expected.text !== undefined) assert.equal(answer.text, expected.text);
      if ("type" in expected) assert.equal(answer.headers["content-type"], expected.type);
      assert.equal(answer.headers.connection, status < 400 ? "Keep-Alive" : "close");
    });
  }

  it("refuses wrong credentials after three seconds without a body", async () => {
    const tries: [headers: Record<string, string>, reason: string][] = [
      [{}, "No ticket"],
      [{ Authorization: "Bearer abc" }, "No ticket"],
      [tokenHeader("00000000-0000-4000-8000-000000000000"), "Authentication failed!"],
      [tokenHeader(secret, "root@pam!nosuch"), "Authentication failed!"],
      // A cookie wins over a valid token.
      [{ ...authorized, Cookie: "PVEAuthCookie=abc" }, "Authentication failed!"],
    ];
    const answers = await Promise.all(
      tries.map(([headers]) => rawRequest(host.url, { path: "/api2/json/nosuch", headers })),
    );
    for (const [index, answer] of answers.entries()) {
      assert.deepEqual([answer.status, answer.reason, answer.text], [401, tries[index]?.[1], ""]);
      assert.equal(answer.headers["content-type"], undefined);
      assert.ok(answer.took >= 2990, `took ${answer.took} ms`);
    }
  });

  it("compresses answers above 1 KiB when asked", async () => {
    const path = "/api2/json/access/permissions";
    const packed = await rawRequest(host.url, { path, headers: { ...authorized, "Accept-Encoding": "gzip" } });
    const plain = await rawRequest(host.url, { path, headers: authorized });
    const short = await rawRequest(host.url, {
      path: "/api2/json/version",
      headers: { ...authorized, "Accept-Encoding": "gzip" },
    });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.equal(plain.headers["content-encoding"], undefined);
    assert.equal(short.headers["content-encoding"], undefined);
  });

  it("keeps a connection for a hundred requests", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const seen: (string | undefined)[] = [];
      for (let count = 0; count < 101; count += 1) {
        const answer = await rawRequest(host.url, { path: "/api2/json/version", headers: authorized }, agent);
        seen.push(answer.headers.connection);
      }
      assert.equal(seen.indexOf("close"), 99);
      assert.equal(seen[100], "Keep-Alive");
    } finally {
      agent.destroy();
    }
  });

  it("shows the certificate whose fingerprint it reports", async () => {
    const socket = connect({ host: "127.0.0.1", port: host.port, rejectUnauthorized: false });
    await new Promise((resolve) => {
      socket.once("secureConnect", resolve);
    });
    assert.equal(socket.getPeerCertificate().fingerprint256, host.fingerprint);
    socket.destroy();
  });
});
