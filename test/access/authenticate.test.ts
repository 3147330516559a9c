// Tests who is let in: the order of the checks, revocation here and in other processes, expiry, last use.
import assert from "node:assert/strict";
import { openAccess, type Access, type Authentication } from "../../src/access/authenticate.js";
import { newAccessToken } from "../../src/access/accessToken.js";
import type { UserRole } from "../../src/core/enums.js";
import { listenForEvents, type Events } from "../../src/events/events.js";
import { silentLog } from "../support/log.js";
import { plant, planted, type Given } from "../support/rows.js";
import { storeToken } from "../support/tokens.js";
import { countStatements } from "../support/statements.js";
import { createTestServices, fixedClock, shiftableClock, type TestServices } from "../support/services.js";
import { until } from "../support/until.js";

const HOME = "203.0.113.5";
/** Of a process that receives no announcements. */
const DEAF: Events = { on: () => () => undefined, emitLocal: () => undefined, close: () => Promise.resolve() };

describe("access/authenticate", () => {
  const clock = shiftableClock();
  let services: TestServices;
  let access: Access;
  before(async () => {
    services = await createTestServices({ clock });
    access = openAccess(services);
  });
  after(async () => {
    await access.close();
    await services.close();
  });

  const store = (given: Given<"api_token"> = {}) => storeToken(services.pool, { name: "t", ...given });

  /** @returns the token of the new session of a new person */
  const signIn = async (role: UserRole, ends: Date): Promise<string> => {
    const { value, hash } = newAccessToken("session");
    const { id } = await planted(services.pool, "user_account", { role, username: role, email: role });
    await plant(services.pool, { session: [{ user_id: id, token_hash: hash, expires_at: ends }] });
    return value;
  };

  const ask = (value: string, sourceIp = HOME, through = access): Promise<Authentication> =>
    through.authenticate({ authorization: `Bearer ${value}`, sourceIp }, ["apiToken", "session"]);

  it("reads a token's scope and permissions; hosts.manage only where it was granted", async () => {
    const plain = await ask((await store({ connection_scope: [7, 3, 7] })).value);
    assert.ok(plain.admitted && plain.viewer.kind === "token");
    assert.deepEqual(plain.viewer.hostIds, [3, 7]);
    assert.equal(plain.viewer.permissions.has("guests.create"), true);
    assert.equal(plain.viewer.permissions.has("hosts.manage"), false);
    const granted = await ask((await store({ permissions: ["hosts.manage"] })).value);
    assert.ok(granted.admitted);
    assert.equal(granted.viewer.hostIds, null);
    assert.equal(granted.viewer.permissions.has("hosts.manage"), true);
  });

  it("asks token, then address, then rate limit; a refused address does not count against the limit", async () => {
    const token = await store({ allowed_ips: "203.0.113.0/24", rate_limit: 1 });
    assert.equal(kindOf(await ask(newAccessToken("apiToken").value)), "unauthenticated");
    assert.equal(kindOf(await ask(token.value, "198.51.100.1")), "forbidden");
    assert.equal(kindOf(await ask(token.value)), "admitted");
    assert.equal(kindOf(await ask(token.value)), "rateLimited");
    assert.equal(kindOf(await ask(token.value, "198.51.100.1")), "forbidden");
  });

  it("names the token of a refused request for the log", async () => {
    const token = await store({ allowed_ips: "203.0.113.0/24" });
    const { token: known } = await ask(token.value, "198.51.100.1");
    assert.deepEqual(known, { id: token.id, name: "t" });
    assert.equal((await ask(newAccessToken("apiToken").value)).token, null);
  });

  it("finds a token, and a session, by its very hash, not by one before or after it", async () => {
    const [own, before, behind] = [newAccessToken("apiToken"), "0".repeat(64), "f".repeat(64)];
    for (const token_hash of [before, behind]) {
      await plant(services.pool, { api_token: [{ prefix: own.prefix, token_hash }] });
      const { id } = await planted(services.pool, "user_account", { username: token_hash, email: token_hash });
      await plant(services.pool, { session: [{ user_id: id, token_hash }] });
    }
    assert.equal(kindOf(await ask(own.value)), "unauthenticated");
    assert.equal(kindOf(await ask(newAccessToken("session").value)), "unauthenticated");
  });

  it("remembers no unknown token: one that is made a moment later opens at once", async () => {
    await withOtherProcess(DEAF, async (other) => {
      const { value, hash, prefix } = newAccessToken("apiToken");
      assert.equal(kindOf(await ask(value, HOME, other)), "unauthenticated");
      await plant(services.pool, { api_token: [{ prefix, token_hash: hash }] });
      assert.equal(kindOf(await ask(value, HOME, other)), "admitted");
    });
  });

  it("reports whether a token is missing or not valid", async () => {
    const missing = await access.authenticate({ authorization: undefined, sourceIp: HOME }, ["apiToken"]);
    assert.equal(messageOf(missing), "A bearer token is needed in the Authorization header");
    assert.equal(messageOf(await ask(newAccessToken("apiToken").value)), "The token is unknown, revoked or expired");
  });

  it("takes only the kinds of tokens that open the door", async () => {
    const { value } = await store();
    const admission = await access.authenticate({ authorization: `Bearer ${value}`, sourceIp: HOME }, ["session"]);
    assert.equal(kindOf(admission), "unauthenticated");
  });

  it("ends a token and a session at their very moment, by the service's clock", async () => {
    const ends = new Date("2030-01-01T00:00:00Z");
    const session = await signIn("customer", ends);
    const { value } = await store({ expires_at: ends });
    const at = async (moment: string): Promise<readonly string[]> => {
      const standing = openAccess({ ...services, clock: fixedClock(moment) });
      try {
        return [kindOf(await ask(value, HOME, standing)), kindOf(await ask(session, HOME, standing))];
      } finally {
        await standing.close();
      }
    };
    assert.deepEqual(await at("2029-12-31T23:59:59.999Z"), ["admitted", "admitted"]);
    assert.deepEqual(await at("2030-01-01T00:00:00.000Z"), ["unauthenticated", "unauthenticated"]);
  });

  it("refuses a revoked token at once in the process that is notified of it", async () => {
    const { value, id } = await store();
    assert.equal(kindOf(await ask(value)), "admitted");
    await services.pool.query("update api_token set revoked_at = now() where id = $1", [id]);
    services.events.emitLocal("access", 0);
    assert.equal(kindOf(await ask(value)), "unauthenticated");
  });

  const untilRefused = async (value: string, through: Access): Promise<void> => {
    await until("the token is no longer taken", async () => kindOf(await ask(value, HOME, through)) !== "admitted");
  };

  async function withOtherProcess(events: Events, work: (other: Access) => Promise<void>): Promise<void> {
    const other = openAccess({ ...services, events });
    try {
      await work(other);
    } finally {
      await other.close();
    }
  }

  it("refuses a revoked token in another process as soon as the news arrives", async () => {
    const events = await listenForEvents(services.database.url, silentLog);
    await withOtherProcess(events, async (other) => {
      const { value, id } = await store();
      assert.equal(kindOf(await ask(value, HOME, other)), "admitted");
      await services.pool.query("update api_token set revoked_at = now() where id = $1", [id]);
      await untilRefused(value, other);
    });
    await events.close();
  });

  it("refuses a revoked token within a second even in a process that receives no announcements", async () => {
    await withOtherProcess(DEAF, async (other) => {
      const { value, id } = await store();
      assert.equal(kindOf(await ask(value, HOME, other)), "admitted");
      await services.pool.query("update api_token set revoked_at = now() where id = $1", [id]);
      await untilRefused(value, other);
    });
  });

  it("asks the database once for many requests with one token", async () => {
    const { value } = await store();
    const statements = await countStatements(async () => {
      const admissions = await Promise.all(Array.from({ length: 50 }, () => ask(value)));
      assert.equal(admissions.filter(({ admitted }) => admitted).length, 50);
    });
    assert.equal(statements, 1);
  });

  it("opens for a session, with what the person's role allows", async () => {
    const admission = await ask(await signIn("reseller", new Date(clock.now().getTime() + 3_600_000)));
    assert.ok(admission.admitted && admission.viewer.kind === "user");
    assert.equal(admission.viewer.role, "reseller");
    assert.equal(admission.viewer.permissions.has("users.manage"), true);
    assert.equal(admission.viewer.permissions.has("hosts.manage"), false);
  });

  it("distinguishes an agent's token from the others", async () => {
    const { value, hash } = newAccessToken("agent");
    await plant(services.pool, { host: [{}], node: [{}], agent: [{ token_hash: hash }] });
    assert.equal(typeof (await access.agentNodeId(`Bearer ${value}`)), "number");
    assert.equal(await access.agentNodeId(`Bearer ${(await store()).value}`), null);
    assert.equal(await access.agentNodeId(undefined), null);
    assert.equal(kindOf(await ask(value)), "unauthenticated");
  });

  it("notes again and again from where a token was last used, a moment later", async () => {
    const { value, id } = await store();
    for (const address of ["192.0.2.78", "192.0.2.79"]) {
      await ask(value, address);
      await until(`${address} is noted`, async () => {
        const { rows } = await services.pool.query("select last_used_ip from api_token where id = $1", [id]);
        return rows[0].last_used_ip === address;
      });
    }
  });

  it("notes when and from where a token was last used, also at shutdown", async () => {
    const { value, id } = await store();
    const at = new Date("2030-01-01T00:00:00Z");
    const short = openAccess({ ...services, clock: fixedClock(at) });
    await ask(value, "192.0.2.77", short);
    await short.close();
    const { rows } = await services.pool.query("select last_used_ip, last_used_at from api_token where id = $1", [id]);
    assert.deepEqual(rows, [{ last_used_ip: "192.0.2.77", last_used_at: at }]);
  });
});

const messageOf = (admission: Authentication): string | null => (admission.admitted ? null : admission.refusal.message);
const kindOf = (admission: Authentication): string => (admission.admitted ? "admitted" : admission.refusal.kind);
