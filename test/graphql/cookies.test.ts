// Sessions that a browser keeps as a cookie: how they are given, from which pages they count, and how they end.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";
import { newAccessToken } from "../../src/access/accessToken.js";
import { hashPassword } from "../../src/access/password.js";
import { fixedClock } from "../support/services.js";
import { ask, startGraphql, type GraphqlService } from "./support/service.js";
import { ADMIN_ID, fillWorld, type World } from "./support/world.js";

const PASSWORD = "correct horse battery";
const FOREIGN = "https://evil.example";
const ATTRIBUTES = /^drover_session=drc_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/;

describe("graphql: sessions as cookies", () => {
  let service: GraphqlService;
  let world: World;
  const now = new Date();

  before(async () => {
    service = await startGraphql({ clock: fixedClock(now) });
    world = await fillWorld(service.services.pool);
    const hash = await hashPassword(PASSWORD);
    await service.services.pool.query("update user_account set password_hash = $1", [hash]);
  });
  after(() => service.close());

  const logIn = (headers: Readonly<Record<string, string>> = {}, remember = false) =>
    ask(service, {
      query:
        'mutation ($p: String!, $r: Boolean) { login(username: "admin", password: $p, remember: $r) { token expiresAt user { username } } }',
      variables: { p: PASSWORD, r: remember },
      headers: { "X-Drover-Session": "cookie", ...headers },
    });
  /** @returns the `Cookie` header of a new session */
  const cookie = async (): Promise<string> => pairOf(await logIn());
  const whoAsks = async (headers: Readonly<Record<string, string>>) => {
    const { data, errors } = await ask(service, { query: "{ viewer { user { username } } }", headers });
    return errors?.[0]?.extensions.reason ?? z.object({ viewer: viewerShape }).parse(data).viewer.user?.username;
  };

  it("gives the session to the browser alone, until it is closed", async () => {
    const { data, headers } = await logIn();
    const expiresAt = new Date(now.getTime() + 12 * 3_600_000).toISOString();
    assert.deepEqual(data, { login: { token: null, expiresAt, user: { username: "admin" } } });
    assert.match(headers.get("set-cookie") ?? "", ATTRIBUTES);
    assert.equal(headers.get("cache-control"), "no-store");
  });

  it("keeps it for 30 days where that is asked for", async () => {
    const { data, headers } = await logIn({}, true);
    const month = 30 * 86_400;
    const { login } = z.object({ login: z.object({ expiresAt: z.string() }) }).parse(data);
    assert.equal(Date.parse(login.expiresAt), now.getTime() + month * 1000);
    assert.match(headers.get("set-cookie") ?? "", new RegExp(`; Max-Age=${month};`));
  });

  it("gives a program that does not ask for a cookie its token, also by another word", async () => {
    for (const headers of [{ "X-Drover-Session": "bearer" }, { "X-Drover-Session": "Cookie" }]) {
      const answer = await logIn(headers);
      const { login } = z.object({ login: z.object({ token: z.string() }) }).parse(answer.data);
      assert.match(login.token, /^drs_/);
      assert.equal(answer.headers.get("set-cookie"), null);
    }
  });

  it("marks it for TLS alone where a trusted proxy says that it came so", async () => {
    const { headers } = await logIn({ "X-Forwarded-Proto": "https" });
    assert.match(headers.get("set-cookie") ?? "", /; HttpOnly; Secure; SameSite=Strict$/);
  });

  it("lets the browser in, and lists it by its kind", async () => {
    const held = await cookie();
    assert.equal(await whoAsks({ Cookie: held }), "admin");
    const { data } = await ask(service, {
      query: "{ sessions { kind current } }",
      headers: { Cookie: `theme=dark; ${held}`, Origin: service.origin },
    });
    const { sessions } = z
      .object({ sessions: z.array(z.object({ kind: z.string(), current: z.boolean() })) })
      .parse(data);
    assert.deepEqual(
      sessions.find(({ current }) => current),
      { kind: "COOKIE", current: true },
    );
  });

  it("takes no cookie for a bearer token, nor the reverse", async () => {
    const [, value = ""] = (await cookie()).split("=");
    const { status } = await ask(service, { query: "{ __typename }", token: value });
    assert.equal(status, 401);
    for (const token of [world.admin, world.plain])
      assert.equal(await whoAsks({ Cookie: `drover_session=${token}` }), "NOT_SIGNED_IN");
  });

  it("lets somebody sign in whose browser has the cookie of another installation, or of a session that has ended", async () => {
    for (const stale of [newAccessToken("cookie").value, "x".repeat(8_000)]) {
      const headers = { Cookie: `drover_session=${stale}` };
      assert.equal(await whoAsks(headers), "NOT_SIGNED_IN");
      assert.equal((await logIn(headers)).status, 200);
    }
  });

  it("finds the session beside a dead cookie of its name, and takes none of two that hold", async () => {
    const [held, other] = [await cookie(), await cookie()];
    const dead = `drover_session=${newAccessToken("cookie").value}`;
    for (const sent of [`${dead}; ${held}`, `${held}; ${dead}`]) assert.equal(await whoAsks({ Cookie: sent }), "admin");
    assert.equal(await whoAsks({ Cookie: `${held}; ${other}` }), "NOT_SIGNED_IN");
  });

  it("sends whose session has ended to sign in, whatever they ask for", async () => {
    const headers = { Cookie: `drover_session=${newAccessToken("cookie").value}`, Origin: service.origin };
    for (const query of [
      'mutation { changePassword(current: "x", new: "y") }',
      "mutation { endSessions }",
      "{ sessions { id } }",
      "{ hosts { items { id } } }",
    ]) {
      const { errors } = await ask(service, { query, headers });
      assert.deepEqual(errors?.[0]?.extensions, { code: "UNAUTHENTICATED", reason: "NOT_SIGNED_IN" }, query);
    }
  });

  for (const [what, headers] of [
    ["a page of another site", { Origin: FOREIGN }],
    ["a page without an origin", { Origin: "null" }],
    ["another site by the browser's word", { "Sec-Fetch-Site": "cross-site" }],
  ] as const) {
    it(`changes nothing for ${what}, and opens no session`, async () => {
      const held = await cookie();
      const query = "mutation { endSessions }";
      const changed = await ask(service, { query, headers: { Cookie: held, ...headers } });
      assert.equal(changed.status, 403);
      assert.deepEqual([changed.errors?.[0]?.extensions], [{ code: "FORBIDDEN", reason: "WRONG_ORIGIN" }]);
      const opened = await logIn(headers);
      assert.equal(opened.status, 403);
      assert.equal(opened.headers.get("set-cookie"), null);
    });
  }

  it("lets a bearer token count where both come, from whatever page", async () => {
    const headers = { Cookie: await cookie(), Origin: FOREIGN, Authorization: `Bearer ${world.customer}` };
    assert.equal(await whoAsks(headers), "carl");
  });

  it("reads nothing across sites", async () => {
    const address = `${service.origin}/graphql?query=${encodeURIComponent("{ viewer { hostIds } }")}`;
    const read = async (site: string) => {
      const headers = { Cookie: await cookie(), "Sec-Fetch-Site": site, "Apollo-Require-Preflight": "1" };
      return (await fetch(address, { headers })).status;
    };
    assert.equal(await read("cross-site"), 403);
    assert.equal(await read("same-origin"), 200);
  });

  it("has the browser throw the cookie away at the end, and takes it no longer", async () => {
    const held = await cookie();
    const query = "mutation { logout }";
    const { data, headers } = await ask(service, { query, headers: { Cookie: held, Origin: service.origin } });
    assert.deepEqual(data, { logout: true });
    assert.match(headers.get("set-cookie") ?? "", /^drover_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
    assert.equal(await whoAsks({ Cookie: held }), "NOT_SIGNED_IN");
  });

  it("leaves the browser its cookie when a program signs out beside it", async () => {
    const query = "mutation { logout }";
    const login = await logIn({ "X-Drover-Session": "bearer" });
    const { login: opened } = z.object({ login: z.object({ token: z.string() }) }).parse(login.data);
    const held = await cookie();
    const { data, headers } = await ask(service, { query, token: opened.token, headers: { Cookie: held } });
    assert.deepEqual(data, { logout: true });
    assert.equal(headers.get("set-cookie"), null);
    assert.equal(await whoAsks({ Cookie: held }), "admin");
  });

  const dial = (headers: Readonly<Record<string, string>>): WebSocket =>
    new WebSocket(`${service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws", { headers });

  describe("over a WebSocket", () => {
    it("lets the browser in by the handshake, and out with the session", async () => {
      const socket = dial({ Cookie: await cookie(), Origin: service.origin });
      await once(socket, "open");
      const acknowledged = once(socket, "message");
      say(socket, { type: "connection_init" });
      assert.match(String((await acknowledged)[0]), /connection_ack/);
      const closed = once(socket, "close");
      await service.services.pool.query("delete from session where user_id = $1 and kind = 'cookie'", [ADMIN_ID]);
      assert.equal((await closed)[0], 4403);
    });

    it("works on operations as the person of the cookie", async () => {
      const socket = dial({ Cookie: await cookie() });
      await once(socket, "open");
      const messages: string[] = [];
      const answered = new Promise<string>((resolve) => {
        socket.on("message", (data: Buffer) => {
          messages.push(String(data));
          if (messages.length === 1) {
            say(socket, { type: "subscribe", id: "1", payload: { query: "{ viewer { user { username } } }" } });
          } else resolve(String(data));
        });
      });
      say(socket, { type: "connection_init", payload: {} });
      assert.match(await answered, /"username":"admin"/);
      socket.close();
      await once(socket, "close");
    });

    for (const [what, headers] of [
      ["a page of another site", { Origin: FOREIGN }],
      ["a page without an origin", { Origin: "null" }],
      ["another site by the browser's word", { "Sec-Fetch-Site": "cross-site" }],
    ] as const) {
      it(`refuses the handshake of ${what}`, async () => {
        const socket = dial({ Cookie: await cookie(), ...headers });
        const [, response] = await once(socket, "unexpected-response");
        assert.equal(response.statusCode, 403);
        assert.equal(response.headers["x-error-code"], "WRONG_ORIGIN");
        assert.match(response.headers["content-type"], /^text\/plain/);
        socket.on("error", () => undefined);
        socket.terminate();
      });
    }

    it("closes one whose cookie opens nothing as forbidden", async () => {
      const socket = dial({ Cookie: `drover_session=${newAccessToken("cookie").value}` });
      await once(socket, "open");
      const closed = once(socket, "close");
      say(socket, { type: "connection_init" });
      assert.equal((await closed)[0], 4403);
    });

    it("asks a program without a cookie for no origin", async () => {
      const socket = dial({ Origin: FOREIGN });
      await once(socket, "open");
      const acknowledged = once(socket, "message");
      say(socket, { type: "connection_init", payload: { authorization: `Bearer ${world.plain}` } });
      assert.match(String((await acknowledged)[0]), /connection_ack/);
      socket.close();
      await once(socket, "close");
    });
  });
});

const viewerShape = z.object({ user: z.object({ username: z.string() }).nullable() });

const say = (socket: WebSocket, message: object): void => socket.send(JSON.stringify(message));

const pairOf = ({ headers }: { readonly headers: Headers }): string => {
  const [pair = ""] = (headers.get("set-cookie") ?? "").split(";");
  return pair;
};
