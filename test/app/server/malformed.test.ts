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

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const FIGURE = /^drover_http_requests_total\{(.*)\} (\d+)$/gm;
const REFUSED = 'method="unknown",route="malformed",status="400"';
const ROWS_A_MINUTE = 60;
/** Of the clock by which the service bounds the rows. */
const minute = (): number => Math.floor(performance.now() / 60_000);

/** A request whose body is no chunk, with these headers besides. */
const broken = (path: string, ...headers: readonly string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: a",
    "X-Request-Id: mine-8",
    "Content-Type: application/json",
    "Transfer-Encoding: chunked",
    ...headers,
    "\r\n",
  ].join("\r\n");
const RUBBISH = "no length\r\n";
const EXPECTANT = "Expect: 100-continue";

function assertRefused(answer: RawAnswer): void {
  assert.equal(answer.status, 400);
  assert.equal(answer.headers.get("x-request-id"), "mine-8");
  assert.deepEqual(answer.body, {
    success: false,
    data: null,
    error: "The request is no HTTP that can be understood",
  });
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

  /**
   * @param later what is sent when the service has taken in the head: it must have an `Expect: 100-continue`
   * @returns the answer, on a connection that the service has to end
   */
  async function answerTo(begin: string, later?: string): Promise<RawAnswer> {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    let received = "";
    socket.on("data", (data) => (received += String(data)));
    const ended = once(socket, "end");
    socket.write(begin);
    if (later !== undefined) {
      await eventually(async () => assert.equal(received, CONTINUE));
      socket.write(later);
    }
    await ended;
    socket.destroy();
    const [head = "", body = ""] = received.replace(CONTINUE, "").split("\r\n\r\n", 2);
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

  /** How many requests were answered with each status, apart from those for these figures. */
  async function figures(): Promise<Map<string, number>> {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const all = [...text.matchAll(FIGURE)].map(([, labels = "", count]) => [labels, Number(count)] as const);
    return new Map(all.filter(([labels]) => !labels.includes("/metrics")));
  }

  for (const path of ["/api/v1/hosts/1/guests", "/api/v1/hosts/1/guests/qemu/100/power", "/graphql"]) {
    for (const order of ["after its head", "in one packet with its head"]) {
      it(`answers a request to ${path} that breaks off its chunks ${order} once, under its own id, logged and counted once`, async () => {
        const expected = await figures();
        expected.set(REFUSED, (expected.get(REFUSED) ?? 0) + 1);
        const head = [`Authorization: Bearer ${token}`];
        assertRefused(
          order === "after its head"
            ? await answerTo(broken(path, ...head, EXPECTANT), RUBBISH)
            : await answerTo(broken(path, ...head) + RUBBISH),
        );
        // GraphQL's row is written when the connection ends: the look-up of the token may take longer.
        const tokens = path === "/graphql" ? [null, "crowd"] : ["crowd"];
        await eventually(async () => {
          const [{ token: found, ...row }, ...others] = (await rows()).map(Object);
          assert.deepEqual([row, others], [{ method: "POST", path, status: 400, source: "127.0.0.1" }, []]);
          assert.ok(tokens.includes(found), String(found));
        });
        assert.deepEqual(await figures(), expected);
      });
    }
  }

  it("answers what came whole as if nothing followed, and hangs up", async () => {
    const whole = `GET /api/v1/hosts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const answer = await answerTo(`${whole}rubbish\r\n\r\n`);
    assert.deepEqual([answer.status, answer.headers.get("connection")], [200, "close"]);
    await eventually(async () =>
      assert.deepEqual(await rows(), [
        { method: "GET", path: "/api/v1/hosts", status: 200, source: "127.0.0.1", token: "crowd" },
      ]),
    );
  });

  it("serves who asks properly while others send rubbish, and keeps few rows of that", async () => {
    const begin = minute();
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 20 }, () => answerTo("rubbish\r\n\r\n")));
    }
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    await answerTo("rubbish\r\n\r\n");
    const answer = await fetch(`${service.url}/api/v1/hosts`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    await eventually(async () => assert.ok((await rows()).some((row) => Object(row).path === "/api/v1/hosts")));
    const rubbish = (await rows()).filter((row) => Object(row).path === "-");
    const minutes = minute() - begin + 1;
    const found = `${rubbish.length} rows in ${minutes} minutes`;
    assert.ok(rubbish.length > 0 && rubbish.length <= ROWS_A_MINUTE * minutes, found);
  });
});
