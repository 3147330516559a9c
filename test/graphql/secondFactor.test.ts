// A second factor over GraphQL: what a client is answered that lacks one, and when an open connection ends for it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";
import { hashPassword } from "../../src/access/password.js";
import { UserRole } from "../../src/core/enums.js";
import { contextOf, managingToken, signedIn } from "../support/context.js";
import { codeAt, setUpTotp, STEP_MS } from "../support/secondFactor.js";
import { fixedClock } from "../support/services.js";
import { updateSettings } from "../../src/actions/setting.js";
import { ask, startGraphql, type GraphqlService } from "./support/service.js";
import { ADMIN_ID, CUSTOMER_ID, fillWorld } from "./support/world.js";

const PASSWORD = "correct horse battery";
const COOKIE = { "X-Drover-Session": "cookie" };
/** The close code after which clients connect again. */
const CONNECT_AGAIN = 1012;
const opened = z.object({ login: z.object({ token: z.string() }) });

describe("graphql: second factors", () => {
  const now = new Date();
  let service: GraphqlService;
  beforeEach(async () => {
    service = await startGraphql({ clock: fixedClock(now) });
    await fillWorld(service.services.pool);
    await service.services.pool.query("update user_account set password_hash = $1", [await hashPassword(PASSWORD)]);
  });
  afterEach(() => service.close());

  const logIn = (username: string, code: string | null, headers: Readonly<Record<string, string>> = {}) =>
    ask(service, {
      query:
        "mutation ($u: String!, $p: String!, $c: String) { login(username: $u, password: $p, code: $c) { token } }",
      variables: { u: username, p: PASSWORD, c: code },
      headers,
    });
  const admin = () =>
    contextOf(service.services, signedIn({ role: UserRole.ADMIN, userId: ADMIN_ID, username: "admin", sessionId: 0 }));

  it("are named by what a client is answered that has sent none, which sets no cookie", async () => {
    const { secret } = await setUpTotp(admin());
    const { errors, headers } = await logIn("admin", null, COOKIE);
    const told: Record<string, unknown> = errors?.[0]?.extensions ?? {};
    const expected = ["UNAUTHENTICATED", "SECOND_FACTOR_REQUIRED", ["TOTP", "RECOVERY_CODE"]];
    assert.deepEqual([told["code"], told["reason"], told["methods"]], expected);
    assert.equal(headers.get("set-cookie"), null);
    const wrong = await logIn("admin", "abc", COOKIE);
    assert.deepEqual(wrong.errors?.[0]?.extensions.reason, "WRONG_CODE");
    assert.equal(wrong.headers.get("set-cookie"), null);
    const right = await logIn("admin", codeAt(secret, new Date(now.getTime() + STEP_MS)), COOKIE);
    assert.deepEqual(right.data, { login: { token: null } });
    assert.match(right.headers.get("set-cookie") ?? "", /^drover_session=drc_/);
  });

  it("end an open connection once the role needs one, and let the next do nothing but set one up", async () => {
    const { data } = await logIn("carl", null);
    const authorization = `Bearer ${opened.parse(data).login.token}`;
    const first = await connect(authorization);
    const closed = once(first, "close");
    await updateSettings(contextOf(service.services, managingToken()), { secondFactorRoles: [UserRole.CUSTOMER] });
    assert.equal((await closed)[0], CONNECT_AGAIN);
    const refused = await ask(service, { query: "{ guests { meta { total } } }", headers: { authorization } });
    assert.deepEqual(
      [refused.errors?.[0]?.extensions.code, refused.errors?.[0]?.extensions.reason],
      ["FORBIDDEN", "SECOND_FACTOR_SETUP_REQUIRED"],
    );
    const second = await connect(authorization);
    second.send(
      JSON.stringify({ id: "1", type: "subscribe", payload: { query: "subscription { guestChanged { id } }" } }),
    );
    const [answer] = await once(second, "message");
    assert.match(String(answer), /SECOND_FACTOR_SETUP_REQUIRED/);
    const carl = { role: UserRole.CUSTOMER, userId: CUSTOMER_ID, username: "carl", sessionId: 0, mustSetUp: true };
    await setUpTotp(contextOf(service.services, signedIn(carl)));
    const answered = await ask(service, { query: "{ guests { meta { total } } }", headers: { authorization } });
    assert.equal(answered.errors, undefined);
    second.terminate();
  });

  /** Resolves when the connection is acknowledged. */
  async function connect(authorization: string): Promise<WebSocket> {
    const socket = new WebSocket(`${service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init", payload: { authorization } }));
    await once(socket, "message");
    return socket;
  }
});
