// How the dashboard's files are served: what may be kept, what is compressed, and what stays other doors' business.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import express from "express";
import { mountDashboard } from "../../../app/server/dashboard.js";
import { keptServer } from "../../support/keptServer.js";
import { silentLog } from "../../support/log.js";
import { originOf } from "../../support/origin.js";

const SCRIPT = "console.log('a panel');";
const PAGE = '<meta property="csp-nonce" nonce="DROVER_NONCE"><script src="/assets/main-1a2b.js" nonce="DROVER_NONCE">';

describe("the dashboard's files", () => {
  let directory: string;
  let server: Server;
  let origin: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "drover-dashboard-"));
    await mkdir(join(directory, "assets"));
    await writeFile(join(directory, "index.html"), PAGE);
    await writeFile(join(directory, "favicon.svg"), "<svg/>");
    const script = join(directory, "assets", "main-1a2b.js");
    await writeFile(script, SCRIPT);
    await writeFile(`${script}.br`, brotliCompressSync(SCRIPT));
    await writeFile(`${script}.gz`, gzipSync(SCRIPT));
    const app = express();
    mountDashboard(app, silentLog, directory);
    app.use((_request, response) => response.status(404).json({ success: false }));
    server = keptServer(app);
    origin = await originOf(server);
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await rm(directory, { recursive: true, force: true });
  });

  const open = (path: string, headers: Record<string, string> = { Accept: "text/html" }) =>
    fetch(origin + path, { headers });

  for (const path of [
    "/",
    "/index.html",
    "/guests",
    "/guests/1/qemu/100?tab=jobs",
    "/ip-addresses/192.0.2.7",
    "/apis",
  ]) {
    it(`shows the page at ${path}, asked for again each time`, async () => {
      const response = await open(path);
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
      assert.equal(response.headers.get("cache-control"), "no-cache");
      assert.match(await response.text(), /csp-nonce/);
    });
  }

  it("allows what comes from here and styles with this answer's nonce, nothing else", async () => {
    const [first, second] = await Promise.all([open("/"), open("/")]);
    const policy = first.headers.get("content-security-policy") ?? "";
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
    assert.ok(nonce.length >= 20, policy);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/);
    assert.match(policy, /; frame-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:/);
    assert.match(policy, /; require-trusted-types-for 'script'; trusted-types default$/);
    assert.equal((await first.text()).split(nonce).length - 1, 2);
    assert.ok(!(second.headers.get("content-security-policy") ?? "").includes(nonce));
  });

  for (const path of ["/", "/assets/main-1a2b.js"]) {
    it(`keeps ${path} from other sites`, async () => {
      const { headers } = await open(path);
      assert.partialDeepStrictEqual(Object.fromEntries(headers), {
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
    });
  }

  for (const [accepted, encoding] of [
    ["gzip, br", "br"],
    ["gzip", "gzip"],
    ["identity", null],
  ] as const) {
    it(`sends a hashed file for ever, encoded for who takes ${accepted}`, async () => {
      const response = await open("/assets/main-1a2b.js", { "Accept-Encoding": accepted });
      assert.equal(response.headers.get("content-encoding"), encoding);
      assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(response.headers.get("vary"), "Accept-Encoding");
      assert.match(response.headers.get("content-type") ?? "", /javascript/);
      assert.equal(await response.text(), SCRIPT);
    });
  }

  it("sends a file without a hash again each time", async () => {
    const response = await open("/favicon.svg");
    assert.equal(response.headers.get("cache-control"), "no-cache");
    assert.equal(await response.text(), "<svg/>");
  });

  it("shows a browser that opens /graphql the page", async () => {
    const browser = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
    assert.match(await (await open("/graphql", browser)).text(), /csp-nonce/);
  });

  for (const [asked, path, accept] of [
    ["with its query", "/graphql?query={__typename}", "text/html"],
    ["for JSON", "/graphql", "application/json, text/html;q=0.5"],
    ["for anything", "/graphql", "*/*"],
    ["below it", "/graphql/graphiql", "text/html"],
  ] as const) {
    it(`leaves /graphql to GraphQL when it is asked ${asked}`, async () =>
      assert.equal((await open(path, { Accept: accept })).status, 404));
  }

  for (const path of ["/api/v1/nothing", "/api", "/healthz", "/readyz", "/metrics"]) {
    it(`leaves ${path} to the handler that serves it`, async () => assert.equal((await open(path)).status, 404));
  }

  for (const path of ["/assets/gone-3c4d.js", "/robots.txt", "/assets/main-1a2b.js.br", "/../package.json"]) {
    it(`has nothing at ${path}`, async () => assert.equal((await open(path)).status, 404));
  }

  it("shows the panel itself to every client, whatever it takes", async () => {
    const response = await open("/", { Accept: "*/*" });
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  });

  it("answers clients that do not take a page, and everything that is no reading, with 404", async () => {
    assert.equal((await open("/guests", { Accept: "application/json" })).status, 404);
    assert.equal((await fetch(`${origin}/`, { method: "POST", headers: { Accept: "text/html" } })).status, 404);
  });

  it("is not there when none was built", async () => {
    const app = express();
    mountDashboard(app, silentLog, join(directory, "assets"));
    app.use((_request, response) => response.status(404).end());
    const bare = keptServer(app);
    assert.equal((await fetch(await originOf(bare), { headers: { Accept: "text/html" } })).status, 404);
    bare.close();
  });
});
