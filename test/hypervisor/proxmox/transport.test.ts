// The ways in which an answer may travel that are not the platform's own: compressed, bare, redirected, from another server's HTTP.
import assert from "node:assert/strict";
import { createServer, type TLSSocket } from "node:tls";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { ServerResponse } from "node:http";
import { X509Certificate } from "node:crypto";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { Cleanup, connected, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import { identity, listen, scriptedConnection } from "../support/scriptedHost.js";

const GUEST = { type: "lxc", node: "pve1", vmid: 100 } as const;
const VERSION = JSON.stringify({ data: { version: "8.4.5" } });

const compressed = (body: Buffer, coding: string) => ({
  raw: (response: ServerResponse) => {
    response.writeHead(200, "OK", { "Content-Encoding": coding, "content-length": body.length });
    response.end(body);
  },
});

describe("hypervisor/proxmox/exchange", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  const codings: [string, (body: string) => Buffer][] = [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["GZip", gzipSync],
    ["identity", (body) => Buffer.from(body)],
  ];
  for (const [coding, compress] of codings) {
    it(`asks for no compression, and reads ${coding} all the same`, async () => {
      const { host, driver } = await scripted(cleanup, () => compressed(compress(VERSION), coding));
      assert.equal((await driver.version()).version, "8.4.5");
      assert.equal(host.arrivals[0]?.headers["accept-encoding"], "identity");
    });
  }

  it("reports an unknown compression", async () => {
    const { driver } = await scripted(cleanup, () => compressed(Buffer.from(VERSION), "snappy"));
    await refusal(driver.version(), PlatformReason.UNREACHABLE, "compressed in an unknown way");
  });

  for (const [name, status, body] of [
    ["no body", 200, ""],
    ["nothing at all", 204, ""],
    ["an object without data", 200, "{}"],
    ["a byte order mark before it", 200, '\uFEFF{"data":null}'],
  ] as const) {
    it(`takes a change for done that has no result and is answered with ${name}`, async () => {
      const { driver } = await scripted(cleanup, () => ({ status, reason: "OK", body }));
      assert.equal(await driver.configure(GUEST, { set: { onboot: true } }), null);
      await refusal(driver.power(GUEST, "start"), PlatformReason.UNCERTAIN, "without a task id");
    });
  }

  it("does not take nothing for the answer to a question", async () => {
    for (const body of ["", "{}"]) {
      const { driver } = await scripted(cleanup, () => ({ status: 200, reason: "OK", body }));
      await refusal(driver.snapshots(GUEST), PlatformReason.UNINTELLIGIBLE, "/snapshot makes no sense");
    }
  });

  it("follows no redirection, and reports where it points to", async () => {
    const { host, driver } = await scripted(cleanup, () => ({
      raw: (response) => response.writeHead(302, "Found", { Location: "https://127.0.0.1:1/elsewhere" }).end(),
    }));
    await refusal(driver.version(), PlatformReason.REFUSED, "redirects to https://127.0.0.1:1/elsewhere");
    assert.equal(host.arrivals.length, 1);
  });

  const wires: [string, readonly string[]][] = [
    ["HTTP/1.0 without a length", ["HTTP/1.0 200 OK\r\n\r\n", VERSION]],
    ["a status line without a reason", ["HTTP/1.1 200\r\nCONTENT-LENGTH: 28\r\n\r\n", VERSION]],
    ["an announcement before the answer", ["HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n", whole(VERSION)]],
    ["one byte at a time", whole(VERSION).split("")],
    ["chunks with extensions and trailers", [chunked(VERSION)]],
  ];
  for (const [name, pieces] of wires) {
    it(`reads an answer that comes as ${name}`, async () => {
      const driver = connected(cleanup, await wire(pieces));
      for (let count = 0; count < 3; count++) assert.equal((await driver.version()).version, "8.4.5");
    });
  }

  /** A server that writes these pieces, one after the other, to whoever asks, and closes every connection without a word of it. */
  async function wire(pieces: readonly string[]) {
    const { private: key, cert } = await identity;
    const sockets = new Set<TLSSocket>();
    const server = createServer({ key, cert }, (socket) => {
      sockets.add(socket.setNoDelay().on("error", () => undefined));
      socket.once("data", () => void write(socket, pieces));
    });
    const port = await listen(server);
    cleanup.add(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return scriptedConnection(port, new X509Certificate(cert).fingerprint256);
  }
});

async function write(socket: TLSSocket, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
  socket.end();
}

function whole(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: Keep-Alive\r\n\r\n${body}`;
}

function chunked(body: string): string {
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n\r\n${body.length.toString(16)};a=b\r\n${body}\r\n0\r\nx: y\r\n\r\n`;
}
