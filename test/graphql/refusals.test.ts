// Refusals of callers that are not known: who is refused again and again waits for its answers, and holds nothing meanwhile.
import assert from "node:assert/strict";
import { hashPassword } from "../../src/access/password.js";
import { HandTime } from "../support/handTime.js";
import { ask, startGraphql, type GraphqlService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

const SIGN_IN = 'mutation { login(username: "ada", password: "right") { token } }';
const OUT_OF_SIGHT = "{ hosts { meta { total } } }";
const ATTACKER = { "X-Forwarded-For": "198.51.100.1" };
/** What a source gets without a pause, and what makes its pauses the longest. */
const AT_ONCE = 100;
const LONGEST_MS = 1_000;
/** More than there are slots for callers that are not known. */
const MANY = 20;

describe("graphql: refusals of callers that are not known", () => {
  let time: HandTime;
  let service: GraphqlService;
  let world: World;
  beforeEach(async () => {
    time = new HandTime();
    service = await startGraphql({ config: { trustedProxies: ["127.0.0.1"] } }, { stopwatch: time });
    world = await fillWorld(service.services.pool);
    await service.services.pool.query("update user_account set username = 'ada', password_hash = $1 where id = 1", [
      await hashPassword("right"),
    ]);
  });
  afterEach(() => service.close());

  const refused = async (): Promise<void> => {
    const { errors } = await ask(service, { query: OUT_OF_SIGHT, headers: ATTACKER });
    assert.equal(errors?.[0]?.extensions.code, "UNAUTHENTICATED");
  };
  /** @returns the status */
  const send = async (body: object, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
    const answer = await fetch(`${service.origin}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...ATTACKER, ...headers },
      body: JSON.stringify(body),
    });
    return answer.status;
  };
  const spendAllowance = async (): Promise<void> => {
    for (let count = 0; count < AT_ONCE; count++) await refused();
  };

  for (const [title, status, body, headers] of [
    ["an operation for those who are signed in", 200, { query: OUT_OF_SIGHT }, {}],
    ["a token that is not valid", 401, { query: OUT_OF_SIGHT }, { Authorization: `Bearer drv_${"x".repeat(43)}` }],
    ["a document that is nested too deeply", 400, { query: "{".repeat(200) }, {}],
    ["no operation at all", 400, {}, {}],
  ] as const) {
    it(`wait once their source has had too many: ${title}`, async () => {
      await spendAllowance();
      const late = send(body, headers);
      await time.waitsFor(20);
      time.move(20);
      assert.equal(await late, status);
    });
  }

  it("hold no slot while they wait: others sign in, and callers that are known wait for nothing", async () => {
    await spendAllowance();
    const waiting: Promise<void>[] = [];
    for (let pauseMs = 20; pauseMs <= LONGEST_MS; pauseMs += 20) {
      waiting.push(refused());
      await time.waitsFor(pauseMs);
    }
    for (let count = 2; count <= MANY; count++) {
      waiting.push(refused());
      await time.waitsFor(LONGEST_MS, count);
    }
    const { data } = await ask(service, { query: SIGN_IN });
    assert.ok(data?.["login"]);
    const known = await ask(service, { query: OUT_OF_SIGHT, token: world.manager, headers: ATTACKER });
    assert.equal(known.errors, undefined);
    time.move(LONGEST_MS);
    await Promise.all(waiting);
  });
});
