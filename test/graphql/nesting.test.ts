// Documents that are nested too deeply are refused before anybody tries to parse them, over HTTP and WebSocket.
import assert from "node:assert/strict";
import { GraphQLError } from "graphql";
import { refuseDeepText } from "../../graphql/nesting.js";
import { Listener } from "./support/listener.js";
import { ask, startGraphql, type GraphqlService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

const deep = (levels: number, [open, close]: readonly [string, string]): string =>
  open.repeat(levels) + close.repeat(levels);
const TOO_DEEP = { code: "VALIDATION_FAILED", reason: "TOO_DEEP" };

describe("graphql/nesting", () => {
  for (const signs of [
    ["{", "}"],
    ["[", "]"],
    ["(", ")"],
  ] as const) {
    it(`lets 100 levels of ${signs.join("")} through, and no more`, () => {
      refuseDeepText(deep(100, signs));
      assert.throws(() => refuseDeepText(deep(101, signs)), GraphQLError);
    });
  }

  for (const [what, text] of [
    ["a string", `"${"{".repeat(200)}"`],
    ["a string with escaped quotes", `"\\"${"{".repeat(200)}\\""`],
    ["a block string", `"""${"{".repeat(200)} " \\""" ${"[".repeat(200)}"""`],
    ["a comment", `# ${"{".repeat(200)}\n{ a }`],
    ["levels beside each other", "{ a }".repeat(1_000)],
  ] as const) {
    it(`does not count ${what}`, () => refuseDeepText(text));
  }

  it("counts what follows a string", () => {
    assert.throws(() => refuseDeepText(`"a" """b""" # c\n${"{".repeat(101)}`), GraphQLError);
  });

  describe("at the doors", () => {
    let service: GraphqlService;
    let world: World;
    before(async () => {
      service = await startGraphql();
      world = await fillWorld(service.services.pool);
    });
    after(() => service.close());

    const documents: readonly (readonly [string, string])[] = [
      ["fields", `{ viewer ${"{ a ".repeat(3_000)}${"}".repeat(3_000)} }`],
      ["lists", `{ hosts(page: ${deep(4_500, ["[", "]"])}) { meta { total } } }`],
      ["types of variables", `query ($a: ${"[".repeat(4_500)}Int${"]".repeat(4_500)}) { viewer { hostIds } }`],
    ];
    for (const [what, query] of documents) {
      it(`refuses ${what} that are nested thousands deep as the caller's fault`, async () => {
        const overHttp = await ask(service, { query, token: world.plain });
        assert.equal(overHttp.status, 400);
        assert.deepEqual(overHttp.errors?.[0]?.extensions, TOO_DEEP);
        const listener = new Listener(service, { token: world.plain, query });
        assert.deepEqual((await listener.refused()).extensions, TOO_DEEP);
        listener.dispose();
      });
    }

    it("refuses variables that are nested thousands deep, whether the document declares them or not", async () => {
      const variables = { a: JSON.parse(deep(2_000, ["[", "]"])) };
      const queries = ["{ viewer { hostIds } }", "query ($a: Int) { nodes(hostId: $a) { meta { total } } }"];
      for (const query of queries) {
        const { status, errors } = await ask(service, { query, variables, token: world.plain });
        assert.deepEqual([status, errors?.[0]?.extensions], [400, TOO_DEEP]);
      }
      for (const query of [...queries, "subscription { guestChanged { id } }"]) {
        const listener = new Listener(service, { token: world.plain, query, variables });
        assert.deepEqual((await listener.refused()).extensions, TOO_DEEP);
        listener.dispose();
      }
    });

    it("lets variables through that are nested as a document may be", async () => {
      const variables = { a: JSON.parse(deep(99, ["[", "]"])) };
      const { data } = await ask(service, { query: "{ viewer { hostIds } }", variables, token: world.plain });
      assert.deepEqual(data, { viewer: { hostIds: null } });
    });

    it("reports why an operation is refused whose fields are nested deeper than allowed", async () => {
      const query = `{ host(id: 1) ${"{ nodes { host ".repeat(6)} { id } ${"} }".repeat(6)} }`;
      const { errors } = await ask(service, { query, token: world.plain });
      assert.deepEqual(errors?.[0]?.extensions, TOO_DEEP);
    });
  });
});
