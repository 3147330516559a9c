// The agent's HTTP client: time limits, broken answers, and whom it trusts over TLS.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { HttpClient } from "../../agent/http.js";
import type { HttpCall, Trust } from "../../agent/http.js";
import type { Certificate } from "./certificate.js";
import { makeCertificate } from "./certificate.js";
import { portOf } from "./fakeService.js";

const get = (port: number, scheme = "http", timeoutMs = 5_000): HttpCall => ({
  method: "GET",
  url: `${scheme}://127.0.0.1:${port}/`,
  timeoutMs,
});

describe("agent HTTP client", () => {
  const open: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close();
  });

  async function listen(server: Server): Promise<number> {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    });
    return portOf(server.address());
  }

  function clientOf(trust: Trust = {}): HttpClient {
    const client = new HttpClient(trust);
    open.push(async () => client.close());
    return client;
  }

  it("MUST give up when the time is over, before and in the middle of the answer", async () => {
    const port = await listen(
      createServer((request, response) => {
        if (request.headers["x-half"] !== undefined) response.write("{");
      }),
    );
    const client = clientOf();
    await assert.rejects(client.send(get(port, "http", 50)), /no answer within 0.05 s/);
    await assert.rejects(client.send({ ...get(port, "http", 50), headers: { "x-half": "1" } }), /no answer within/);
  });

  it("MUST fail when the connection breaks in the middle of the answer", async () => {
    const port = await listen(
      createServer((_request, response) => {
        response.writeHead(200, { "content-length": "100" });
        response.write("{", () => response.destroy());
      }),
    );
    await assert.rejects(clientOf().send(get(port)), /closed in the middle|aborted/);
  });

  it("MUST refuse an answer without end", async () => {
    const port = await listen(
      createServer((_request, response) => {
        response.end(Buffer.alloc(9 * 1024 * 1024));
      }),
    );
    await assert.rejects(clientOf().send(get(port)), /too large/);
  });

  it("MUST try once more when a kept connection had been closed", async () => {
    let requests = 0;
    const port = await listen(
      createServer((request, response) => {
        requests += 1;
        if (requests === 2) request.socket.destroy();
        else response.end("{}");
      }),
    );
    const client = clientOf();
    await client.send(get(port));
    assert.equal((await client.send(get(port))).status, 200);
    assert.equal(requests, 3);
  });

  it("MUST fail what is under way, and all that follows, once it is closed", async () => {
    const port = await listen(createServer(() => undefined));
    const client = clientOf();
    const under = assert.rejects(client.send(get(port)), /agent stops|hang up/);
    client.close();
    await under;
    await assert.rejects(client.send(get(port)), /agent stops/);
  });

  describe("over TLS", () => {
    let certificate: Certificate;
    before(async () => {
      certificate = await makeCertificate();
    });

    function secure(listener: RequestListener): Promise<number> {
      return listen(createSecureServer(certificate, listener));
    }

    it("MUST refuse a certificate of no known authority", async () => {
      const port = await secure((_request, response) => response.end("{}"));
      await assert.rejects(clientOf().send(get(port, "https")), /self-signed|self signed/);
    });

    it("MUST trust the configured authority", async () => {
      const port = await secure((_request, response) => response.end("{}"));
      assert.equal((await clientOf({ ca: certificate.cert }).send(get(port, "https"))).status, 200);
    });

    it("MUST trust the pinned certificate, on a connection that is kept", async () => {
      const sockets = new Set<unknown>();
      const port = await secure((request, response) => {
        sockets.add(request.socket);
        response.end("{}");
      });
      const client = clientOf({ fingerprint: certificate.fingerprint });
      await client.send(get(port, "https"));
      assert.equal((await client.send(get(port, "https"))).status, 200);
      assert.equal(sockets.size, 1);
    });

    it("MUST not send a byte of the request to another certificate", async () => {
      let requests = 0;
      const port = await secure((_request, response) => {
        requests += 1;
        response.end("{}");
      });
      const client = clientOf({ fingerprint: "0".repeat(64) });
      await assert.rejects(
        client.send(get(port, "https")),
        new RegExp(`another certificate.*${certificate.fingerprint}`),
      );
      assert.equal(requests, 0);
    });

    it("MUST give up on a server that never shakes hands", async () => {
      const port = await listen(createServer());
      await assert.rejects(clientOf({ fingerprint: "0".repeat(64) }).send(get(port, "https", 100)), /./);
    });
  });
});
