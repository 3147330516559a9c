// Connections to servers that are no Proxmox VE: what they say reaches nobody, by any way into an error.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { ServerResponse } from "node:http";
import { addHost, updateHost } from "../../../src/actions/host/host.js";
import type { Context } from "../../../src/context/context.js";
import { messageForOperators } from "../../../src/errors/errors.js";
import { Cleanup } from "../../hypervisor/support/driver.js";
import { listen, startScriptedHost, type Play, type Script } from "../../hypervisor/support/scriptedHost.js";
import { Site } from "../../inventory/support/site.js";
import { contextOf, managingToken } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { hostInput } from "./input.js";

/** What an internal service has to hide. */
const HIDDEN = "vault-key-4711";

const raw = (answer: (response: ServerResponse) => void): Script => ({ raw: answer });

/** Every place of an answer in which a server can put words of its own, and what is said instead. */
const SERVERS: readonly (readonly [name: string, script: Script, says: RegExp])[] = [
  ["a reason phrase", { status: 403, reason: HIDDEN }, /HTTP status 403, not in the words of Proxmox VE$/],
  ["a reason phrase of 401", { status: 401, reason: HIDDEN }, /refuses the credential: HTTP status 401, not in/],
  ["a reason phrase of 502", { status: 502, reason: HIDDEN }, /cannot be reached: HTTP status 502, not in/],
  ["a reason phrase of 500", { status: 500, reason: HIDDEN }, /HTTP status 500, not in/],
  ["a message", { status: 500, body: { data: null, message: HIDDEN } }, /HTTP status 500, not in/],
  ["refused parameters", { status: 400, body: { errors: { [HIDDEN]: HIDDEN } } }, /HTTP status 400, not in/],
  ["a line of text", { status: 404, body: HIDDEN }, /HTTP status 404, not in/],
  [
    "words around those of the platform",
    { status: 401, reason: `no such token '${HIDDEN}' for user 'root@pam'` },
    /HTTP status 401, not in/,
  ],
  [
    "a redirection",
    raw((response) => response.writeHead(302, { location: `https://${HIDDEN}/` }).end()),
    /: it redirects to another place \(302\): connect it under the address of its API$/,
  ],
  ["a version", { data: { version: HIDDEN } }, /makes no sense$/],
  ["a version of another form", { data: { version: `8.4 ${HIDDEN}`, release: "8.4" } }, /makes no sense$/],
  ["a key", { data: { [HIDDEN]: HIDDEN } }, /makes no sense$/],
  ["a page", { status: 200, body: `<html>${HIDDEN}` }, /makes no sense$/],
  [
    "a compression",
    raw((response) => response.writeHead(200, { "content-encoding": HIDDEN }).end("x")),
    /compressed in an unknown way/,
  ],
  ["a head that is no HTTP", raw(({ socket }) => socket?.end(`${HIDDEN}\r\n\r\n`)), /its answer is no HTTP/],
  [
    "a header without an end",
    raw(({ socket }) => socket?.end(`HTTP/1.1 200 OK\r\n${HIDDEN}: ${"x".repeat(100_000)}\r\n\r\n`)),
    /the head of its answer is too large/,
  ],
];

describe("hosts that are no Proxmox VE", () => {
  const cleanup = new Cleanup();
  let site: Site;
  let context: Context;
  before(async () => {
    site = await Site.open();
    context = contextOf(site.services, managingToken());
  });
  afterEach(() => cleanup.run());
  after(() => site.close());

  const serve = async (play: Play) => {
    const server = await startScriptedHost(play);
    cleanup.add(() => server.close());
    return server;
  };

  for (const [name, script, says] of SERVERS) {
    it(`keep their words in ${name} to themselves`, async () => {
      const server = await serve(() => script);
      const message = await told(() => addHost(context, hostInput(server)));
      assert.match(message, says);
      assert.ok(!message.includes(HIDDEN), message);
      assert.deepEqual(await site.rows("select from host where port = $1", server.port), []);
    });
  }

  it("keep their words of TLS to themselves", async () => {
    const server = createServer((socket) => socket.resume().end(`SSH-2.0-${HIDDEN}\r\n`));
    const port = await listen(server);
    cleanup.add(() => new Promise((resolve) => server.close(resolve)));
    const message = await told(() =>
      addHost(context, { ...hostInput({ port, fingerprint: "" }), tlsFingerprint: null }),
    );
    assert.match(message, /does not speak TLS as this service does \(E[A-Z_]+\)$/);
  });

  it("keep their words from the one who points a connected host to them", async () => {
    const known = await site.startHost();
    const hostId = await addHost(context, hostInput(known));
    const { port, fingerprint } = await serve(() => ({ status: 401, reason: HIDDEN }));
    const change = { port, tlsFingerprint: fingerprint, tokenSecret: "aaaaaaaa-0000-4000-8000-000000000009" };
    assert.match(
      await told(() => updateHost(context, hostId, change)),
      /HTTP status 401, not in the words of Proxmox VE$/,
    );
    assert.deepEqual(await site.rows("select port from host"), [{ port: known.port }]);
  });

  it("are distinguished from those that are by a version of the platform's form, which further words follow", async () => {
    const server = await serve(({ path }) =>
      path.endsWith("/version")
        ? { data: { version: "8.4.5", release: "8.4", repoid: "b502d23c55afcba1" } }
        : { status: 403, reason: "Permission check failed (/access)" },
    );
    assert.match(await told(() => addHost(context, hostInput(server))), /: Permission check failed \(\/access\)$/);
  });
});

/** All that the caller reads. */
const told = async (call: () => Promise<unknown>): Promise<string> =>
  messageForOperators(await refusedAs("platform", call()));
