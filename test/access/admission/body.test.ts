// The one reader of bodies: in every form in which they come, up to its bounds in bytes and time.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { eventually } from "../../support/eventually.js";
import { BodyRefused, MOST_BODY_BYTES, readBody } from "../../../src/access/admission/body.js";

/** Of the test of bodies that arrive too slowly; all others have the service's own time. */
const SHORT_MS = 200;

describe("access/admission/body", () => {
  let server: Server;
  let url: string;
  let refusals: number[];
  /** Of each request, before its body is read. */
  let begin: (request: IncomingMessage) => Promise<unknown>;
  let longest: { readonly longestMs?: number };
  /** What was held of the body, piece by piece. */
  let held: number[];
  /** There is room for so many bytes. */
  let room: number;
  before(async () => {
    server = createServer((request, response) => {
      const body = begin(request).then(() => readBody(request, response, { hold, ...longest }));
      body.then(
        (bytes) => response.end(bytes),
        (error: unknown) => {
          assert.ok(error instanceof BodyRefused);
          refusals.push(error.status);
          response.writeHead(error.status, { Connection: "close" }).end();
        },
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${port()}`;
  });
  beforeEach(() => {
    refusals = [];
    longest = {};
    held = [];
    room = Infinity;
    begin = () => Promise.resolve();
  });
  after(() => server.close());

  const holding = (): number => held.reduce((sum, bytes) => sum + bytes, 0);
  const hold = (bytes: number): void => {
    held.push(bytes);
    if (holding() > room) throw new BodyRefused("tooLarge");
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const port = (): number => (server.address() as AddressInfo).port;
  const send = (body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string> = {}) =>
    fetch(url, { method: "POST", body, headers });
  /** Sends the head of a request, and what it has so far of its body. */
  const begun = (rest: string): Socket => {
    const socket = connect({ host: "127.0.0.1", port: port() });
    socket.write(`POST / HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n${rest}`);
    return socket;
  };

  it("reads bodies that come whole, late, in pieces, compressed, or not at all", async () => {
    assert.equal(await (await send("whole")).text(), "whole");
    assert.equal(await (await send("")).text(), "");
    assert.equal(
      await (await send(new Uint8Array(gzipSync("packed")), { "Content-Encoding": "gzip" })).text(),
      "packed",
    );
    const socket = begun("Transfer-Encoding: chunked\r\n\r\n3\r\nin \r\n");
    socket.write("6\r\npieces\r\n0\r\n\r\n");
    assert.match(await text(socket), /in pieces/);
  });

  it("takes the largest body, and none that is larger, unpacked or not", async () => {
    assert.equal((await (await send("x".repeat(MOST_BODY_BYTES))).text()).length, MOST_BODY_BYTES);
    const larger = "x".repeat(MOST_BODY_BYTES + 1);
    assert.equal((await send(larger)).status, 413);
    const packed = await send(new Uint8Array(gzipSync(larger)), { "Content-Encoding": "gzip" });
    assert.equal(packed.status, 413);
  });

  it("holds each byte once, unpacked, whether the body is there at once or comes in pieces", async () => {
    await send("whole");
    assert.equal(holding(), 5);
    held = [];
    await send(new Uint8Array(gzipSync("x".repeat(5_000))), { "Content-Encoding": "gzip" });
    assert.equal(holding(), 5_000);
    held = [];
    const socket = begun("Content-Length: 9\r\n\r\nin ");
    await eventually(() => Promise.resolve(assert.deepEqual(held, [3])));
    socket.write("pieces");
    await text(socket);
    assert.deepEqual(held, [3, 6]);
  });

  it("refuses a body for which there is no room: at once, while it comes, and when it unpacks to more", async () => {
    room = 4;
    assert.equal((await send("whole")).status, 413);
    held = [];
    assert.match(await text(begun("Content-Length: 100\r\n\r\nwhole")), /^HTTP\/1\.1 413 /);
    held = [];
    room = 4_999;
    const packed = await send(new Uint8Array(gzipSync("x".repeat(5_000))), { "Content-Encoding": "gzip" });
    assert.equal(packed.status, 413);
  });

  it("holds nothing of what a body has beyond the bound", async () => {
    assert.equal((await send("x".repeat(MOST_BODY_BYTES + 1))).status, 413);
    assert.ok(holding() <= MOST_BODY_BYTES, String(holding()));
  });

  it("refuses what is not packed as declared, and unknown encodings", async () => {
    assert.equal((await send("plain", { "Content-Encoding": "gzip" })).status, 422);
    assert.equal((await send("plain", { "Content-Encoding": "secret" })).status, 415);
  });

  it("refuses a body that arrives too slowly", async () => {
    longest = { longestMs: SHORT_MS };
    const answer = await text(begun("Content-Length: 100\r\n\r\nsome"));
    assert.match(answer, /^HTTP\/1\.1 408 /);
  });

  it("refuses a body that breaks off", async () => {
    const socket = begun("Content-Length: 100\r\n\r\nsome");
    await once(server, "request");
    socket.destroy();
    await eventually(async () => assert.deepEqual(refusals, [400]));
  });

  for (const length of ["Content-Length: 100", "Transfer-Encoding: chunked"]) {
    it(`refuses a body that broke off before it was read, with ${length}`, async () => {
      begin = (request) => new Promise((resolve) => request.socket.once("close", resolve));
      const socket = begun(`${length}\r\n\r\n`);
      await once(server, "request");
      socket.destroy();
      await eventually(async () => assert.deepEqual(refusals, [400]));
    });
  }
});
