// What the HTTP parser refuses is answered and logged like every refusal, and nobody can flood the log with it.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { readConfig } from "../../../src/config/config.js";
import { startService, type Service } from "../../../app/service.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { eventually } from "../../support/eventually.js";
import { silentLog } from "../../support/log.js";
import { storeCrowdToken } from "../../../bench/creations/crowd.js";

const UUID = /^[\da-f-]{36}$/;
const LARGE = "x".repeat(20_000);

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

describe("what is no HTTP request", () => {
  let database: TestDatabase;
  let service: Service;
  let token: string;
  before(async () => {
    database = await createTestDatabase();
    const DROVER_SECRET = randomBytes(32).toString("base64");
    const config = readConfig({ PORT: "0", DATABASE_URL: database.url, DROVER_SECRET, DROVER_ROLE: "api" });
    service = await startService(config, silentLog);
    token = await storeCrowdToken(database.pool);
  });
  after(async () => {
    await service.stop();
    await database.close();
  });
  beforeEach(() => database.pool.query("delete from request_log"));

  /** @returns the answer to these pieces, sent one after the other on a connection that the service has to end */
  async function answerTo(...pieces: readonly string[]): Promise<RawAnswer> {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    const told: string[] = [];
    socket.on("data", (data) => told.push(String(data)));
    const ended = once(socket, "end");
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await ended;
    socket.destroy();
    const [head = "", body = ""] = told.join("").split("\r\n\r\n", 2);
    const [first = "", ...lines] = head.split("\r\n");
    const headers = new Headers(
      lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(":")),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
    );
    return { status: Number(first.split(" ")[1]), headers, body: JSON.parse(body) };
  }

  const rows = async (): Promise<unknown[]> =>
    (
      await database.pool.query(
        `select method, path, status, source_ip as source, token_name as token from request_log`,
      )
    ).rows;

  const cases: readonly [
    what: string,
    sent: string,
    status: number,
    error: string,
    logged: [method: string, path: string] | null,
  ][] = [
    [
      "bytes of another protocol",
      "\u0016\u0003\u0001\r\n\r\n",
      400,
      "The request is no HTTP that can be understood",
      ["-", "-"],
    ],
    [
      "a broken header",
      "GET /api/v1/hosts?page=1 HTTP/1.1\r\nHost: a\r\nBroken Header\r\n\r\n",
      400,
      "The request is no HTTP that can be understood",
      ["GET", "/api/v1/hosts"],
    ],
    [
      "a request without a host",
      "GET /api/v1/hosts?page=1 HTTP/1.1\r\n\r\n",
      400,
      "The Host header is missing",
      ["GET", "/api/v1/hosts"],
    ],
    [
      "an expectation",
      "POST /graphql HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nContent-Length: 0\r\n\r\n",
      417,
      "The service meets no expectation but 100-continue",
      ["POST", "/graphql"],
    ],
    [
      "headers that are too large",
      `GET /api/v1/jobs HTTP/1.1\r\nHost: a\r\nX-Large: ${LARGE}\r\n\r\n`,
      431,
      "The headers are too large",
      ["GET", "/api/v1/jobs"],
    ],
    [
      "a broken header on a path of no API",
      "GET /hosts HTTP/1.1\r\nHost: a\r\nBroken Header\r\n\r\n",
      400,
      "The request is no HTTP that can be understood",
      null,
    ],
  ];
  for (const [what, sent, status, error, logged] of cases) {
    it(`answers ${what} with ${status} in an envelope, with a request id, and ${logged === null ? "no row" : "a row"} in the log`, async () => {
      const answer = await answerTo(sent);
      assert.equal(answer.status, status);
      assert.deepEqual(answer.body, { success: false, data: null, error });
      assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
      assert.match(answer.headers.get("x-request-id") ?? "", UUID);
      assert.equal(answer.headers.get("connection"), "close");
      if (logged === null) {
        await answerTo("GET /api/v1/later HTTP/1.1\r\n\r\n");
        await eventually(async () => assert.equal((await rows()).length, 1));
        return;
      }
      const [method, path] = logged;
      await eventually(async () =>
        assert.deepEqual(await rows(), [{ method, path, status, source: "127.0.0.1", token: null }]),
      );
    });
  }

  it("answers a request whose body breaks off the chunks once, under its own id, and logs it once", async () => {
    const head = `POST /api/v1/hosts/1/guests HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine-8\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answer = await answerTo(head, "no length\r\n");
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get("x-request-id"), "mine-8");
    assert.deepEqual(answer.body, {
      success: false,
      data: null,
      error: "The request is no HTTP that can be understood",
    });
    await eventually(async () =>
      assert.deepEqual(await rows(), [
        { method: "POST", path: "/api/v1/hosts/1/guests", status: 400, source: "127.0.0.1", token: "crowd" },
      ]),
    );
  });

  it("serves who asks properly while others send rubbish, and keeps few rows of that", async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 20 }, () => answerTo("rubbish\r\n\r\n")));
    }
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    await answerTo("rubbish\r\n\r\n");
    const answer = await fetch(`${service.url}/api/v1/hosts`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    await eventually(async () => assert.ok((await rows()).some((row) => Object(row).path === "/api/v1/hosts")));
    const rubbish = (await rows()).filter((row) => Object(row).path === "-");
    assert.ok(rubbish.length > 0 && rubbish.length <= 60, String(rubbish.length));
  });
});
