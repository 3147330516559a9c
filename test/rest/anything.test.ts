// Property: whatever a client sends, the answer is JSON and never a 500.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { routes } from "../../rest/routes/index.js";
import { fixedClock, noPlatform } from "../support/services.js";
import { casePlatform } from "./support/platform.js";
import { startRest, type RestService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

const NOW = new Date("2026-11-21T12:00:00Z");
const EXPECTED = new Set([200, 201, 202, 401, 403, 404, 405, 409, 413, 415, 422, 502]);

/** Numbers and texts at the edges of what the service, JavaScript and PostgreSQL hold. */
const awkward = fc.constantFrom<unknown>(
  0,
  -1,
  1,
  1.5,
  99,
  100,
  1e9,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53,
  1e308,
  null,
  true,
  false,
  {},
  [],
  [[]],
  [null],
  "",
  " ",
  "0",
  "1",
  "-1",
  "1e3",
  "0x1",
  "NaN",
  "auto",
  "qemu",
  "lxc",
  "dhcp",
  "zone:1",
  "tpl:1",
  "tpl:99999999999",
  "\0",
  "a\0b",
  "\ud800",
  "\u202e",
  "%",
  "%00",
  "'; drop table host; --",
  "pve1",
  "x".repeat(300),
  "__proto__",
);
const value = fc.oneof({ weight: 3, arbitrary: awkward }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("1", "2", "99", "0", "-1", "qemu", "lxc", "100", "pve1", "2147483648", "") },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
  },
  { weight: 1, arbitrary: fc.constantFrom("%", "%ff", "%00", "...", "%2f", "a%20b", "UPID%3Apve1%3A") },
);

const fieldNames = [...new Set(routes.flatMap(({ fields }) => fields.map(({ name }) => name)))];

const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...routes).chain((route) => filledPath(route.path)) },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join("/")}`) },
);

function filledPath(pattern: string): fc.Arbitrary<string> {
  const names = pattern.match(/\{[^}]+\}/g) ?? [];
  return fc
    .tuple(...names.map(() => segment))
    .map((segments) => segments.reduce((filled, text) => filled.replace(/\{[^}]+\}/, () => text), pattern));
}

const query = fc
  .dictionary(fc.constantFrom(...fieldNames), awkward, { maxKeys: 4 })
  .map((given) =>
    new URLSearchParams(Object.entries(given).map(([name, each]): [string, string] => [name, String(each)])).toString(),
  );

interface Sent {
  readonly contentType: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

const fields = fc.dictionary(fc.constantFrom(...fieldNames), value, { maxKeys: 8 });
const body: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fields.map((given) => ({ contentType: "application/json", content: JSON.stringify(given) })),
  },
  {
    weight: 2,
    arbitrary: fields.map((given) => ({ contentType: "application/x-www-form-urlencoded", content: asForm(given) })),
  },
  { weight: 1, arbitrary: fc.json().map((content) => ({ contentType: "application/json", content })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.uint8Array({ maxLength: 60 }), fc.constantFrom("application/json", "text/plain", "", "a/b;c=d"))
      .map(([bytes, contentType]) => ({ contentType, content: new Uint8Array(bytes) })),
  },
);

const asForm = (given: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(Object.entries(given).map(([name, each]): [string, string] => [name, asText(each)])).toString();

/** Generated objects may bring a `toString` of their own, which is none. */
const asText = (each: unknown): string => (typeof each === "string" ? each : JSON.stringify(each));

describe("rest/anything", () => {
  let service: RestService;
  let world: World;
  before(async () => {
    service = await startRest({ clock: fixedClock(NOW), hypervisors: { ...noPlatform, ...casePlatform } });
    world = await fillWorld(service.services.pool, NOW);
  });
  after(() => service.close());

  it("answers JSON and never 500", async () => {
    const methods = fc.constantFrom("GET", "POST", "DELETE", "PUT", "OPTIONS");
    const tokens = fc.constantFrom("full", "scoped", "agent", "revoked");
    await fc.assert(
      fc.asyncProperty(methods, path, query, body, tokens, async (method, where, parameters, sent, token) => {
        const response = await fetch(`${service.base}${where}?${parameters}`, {
          method,
          headers: { Authorization: `Bearer ${world.tokens[token]}`, "Content-Type": sent.contentType },
          ...(method === "GET" ? {} : { body: sent.content }),
        });
        const text = await response.text();
        assert.ok(EXPECTED.has(response.status), `${response.status} ${text}`);
        const answer: unknown = JSON.parse(text);
        assert.ok(typeof answer === "object" && answer !== null && "error" in answer);
        assert.equal(response.ok, answer.error === null);
      }),
      { numRuns: 1_000 },
    );
  }).timeout(180_000);
});
