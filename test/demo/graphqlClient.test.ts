// Checks what the demo's client repeats, and after which time, against a server that refuses first.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { z } from "zod";
import { graphqlClient, PassingFailure, repeated, signIn, type Ask } from "../../demo/graphqlClient.js";

type Reply = (response: ServerResponse) => void;

const QUERY = "{ hosts { id } }";
const MUTATION = "mutation { addHost { id } }";
const content = z.object({ done: z.boolean() });

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const done = json(200, { data: { done: true } });
const unavailable = (reason: string, retryAfterSeconds: number, path?: string[]): Reply =>
  json(503, { errors: [{ message: "later", path, extensions: { code: "UNAVAILABLE", reason, retryAfterSeconds } }] });
const lost: Reply = (response) => void response.destroy();

describe("demo/graphqlClient", () => {
  let server: Server;
  let url: string;
  let replies: Reply[];
  let times: number[];
  let over: AbortController;
  let ask: Ask;

  beforeEach(async () => {
    replies = [];
    times = [];
    over = new AbortController();
    server = createServer((request, response) => {
      times.push(performance.now());
      request.resume().once("end", () => (replies.shift() ?? done)(response));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    url = `http://127.0.0.1:${address.port}/graphql`;
    ask = graphqlClient({ url, token: "drv_x", over: over.signal });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await once(server.close(), "close");
  });

  /** Timers may fire up to a millisecond early. */
  const waitedMs = (): number => (times[1] ?? 0) - (times[0] ?? 0) + 1;

  it("repeats a request that is refused for now, after the time that the error names", async () => {
    replies = [unavailable("BUSY", 0.3)];
    assert.deepEqual(await ask(MUTATION, {}, content), { done: true });
    assert.equal(times.length, 2);
    assert.ok(waitedMs() >= 300, `${waitedMs()} ms`);
  });

  it("obeys Retry-After of an answer that is none of GraphQL", async () => {
    replies = [json(503, { success: false, data: null, error: "The service is starting" }, { "Retry-After": "1" })];
    assert.deepEqual(await ask(MUTATION, {}, content), { done: true });
    assert.ok(waitedMs() >= 1_000, `${waitedMs()} ms`);
  });

  it("repeats a read whose answer was lost, or that failed in its execution", async () => {
    replies = [lost, unavailable("TIMED_OUT", 0.01, ["hosts"])];
    assert.deepEqual(await ask(QUERY, {}, content), { done: true });
    assert.equal(times.length, 3);
  });

  it("does not repeat a change that may have been made", async () => {
    for (const reply of [lost, unavailable("BUSY", 0.01, ["addHost"])]) {
      replies = [reply];
      await assert.rejects(ask(MUTATION, {}, content), PassingFailure);
    }
    assert.equal(times.length, 2);
  });

  it("begins work again that looks at what is there", async () => {
    replies = [lost, done, unavailable("BUSY", 0.01, ["addHost"])];
    const made = await repeated(async () => {
      await ask(QUERY, {}, content);
      return ask(MUTATION, {}, content);
    }, over.signal);
    assert.deepEqual(made, { done: true });
    assert.deepEqual([times.length, replies.length], [5, 0]);
  });

  it("signs in again after an answer that was lost", async () => {
    replies = [lost, json(200, { data: { login: { token: "drv_session" } } })];
    const signedIn = await signIn({ url, over: over.signal }, { username: "admin", password: "secret" });
    assert.deepEqual(await signedIn(QUERY, {}, content), { done: true });
  });

  it("passes on at once what does not pass by itself", async () => {
    replies = [json(200, { errors: [{ message: "name: is taken", extensions: { code: "VALIDATION_FAILED" } }] })];
    await assert.rejects(ask(QUERY, {}, content), { name: "Error", message: "name: is taken" });
    replies = [json(500, { error: "Internal error" })];
    await assert.rejects(ask(QUERY, {}, content), { name: "Error", message: /^status 500: .*Internal error/ });
    assert.equal(times.length, 2);
  });

  it("waits no longer when the service has ended, and reports why", async () => {
    const reason = new Error("the service ended with exit code 1");
    replies = [
      (response) => {
        unavailable("BUSY", 3_600)(response);
        response.once("close", () => over.abort(reason));
      },
    ];
    await assert.rejects(ask(QUERY, {}, content), reason);
    await assert.rejects(ask(QUERY, {}, content), reason);
    assert.equal(times.length, 1);
  });
});
