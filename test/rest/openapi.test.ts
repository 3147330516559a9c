// Tests the OpenAPI document: by OpenAPI's own rules, against the rows, and against what the service answers.
import { validate } from "@readme/openapi-parser";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describeRest } from "../../rest/openapi/describe.js";
import { callsOf, responseOf, type DescribedCall } from "../../rest/openapi/document.js";
import type { JsonSchema } from "../../rest/openapi/jsonSchema.js";
import { withRouteTable } from "../../rest/openapi/routeTable.js";
import { routes } from "../../rest/routes/index.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { eventually } from "../support/eventually.js";
import { Description } from "./support/description.js";
import { send } from "./support/send.js";
import { startRest, type RestService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const VIEWER = inRoot("node_modules/@scalar/api-reference/dist/browser/standalone.js");
/** As it is sent: above that, somebody looks whether a new version is still worth it. */
const MOST_VIEWER_BYTES = 1_400_000;
const document = describeRest(buildDroverSchema(), routes);
const calls = callsOf(document);
/** Changes of one path after which the document is wrong. */
const FAULTY = [
  { what: "a reference to nothing", change: { $ref: "#/components/pathItems/none" }, fault: /Missing \$ref pointer/ },
  {
    what: "an operation that is there already",
    change: { get: { operationId: "guests", responses: { default: { description: "" } } } },
    fault: /`guests` is duplicated/,
  },
  { what: "a field that OpenAPI does not have", change: { fetch: {} }, fault: /fetch is not expected/ },
] as const;

/** What the validator finds in the document with one path more. */
async function faultsOf(path: object): Promise<readonly string[]> {
  const checked = await validate(
    JSON.parse(JSON.stringify({ ...document, paths: { ...document.paths, "/more": path } })),
  );
  return checked.valid ? [] : checked.errors.map(({ message }) => message);
}

const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

describe("rest/openapi: the document", () => {
  it("is valid by the rules of OpenAPI 3.1", async () => {
    assert.deepEqual(await faultsOf({}), []);
  });

  for (const { what, change, fault } of FAULTY) {
    it(`would not be valid with ${what}`, async () => {
      assert.match((await faultsOf(change)).join("\n"), fault);
    });
  }

  it("describes every row and the heartbeat, and nothing else", () => {
    assert.deepEqual(calls.map(nameOf).toSorted(), [...routes.map(nameOf), "POST /agent/heartbeat"].toSorted());
  });

  it("refers only to tags and security schemes that it has", () => {
    for (const { operation } of calls) {
      assert.ok(document.tags.some(({ name }) => operation.tags.includes(name)));
      for (const requirement of operation.security ?? document.security) {
        for (const scheme of Object.keys(requirement)) assert.ok(scheme in document.components.securitySchemes);
      }
    }
  });

  it("is where docs/rest.md has its table of endpoints from (else: npm run openapi)", async () => {
    const page = await readFile(inRoot("docs/rest.md"), "utf8");
    assert.equal(await withRouteTable(page, document), page);
    const listed = [...page.matchAll(/^\| `((?:GET|POST|PATCH|DELETE) \S+)` /gm)].map(([, endpoint = ""]) => endpoint);
    assert.deepEqual(listed.toSorted(), calls.map(nameOf).toSorted());
  });

  it("has only valid JSON Schemas, every field of a record with its meaning", () => {
    const description = new Description(document);
    for (const call of calls) for (const schema of schemasOf(call)) description.validator(schema);
    for (const [name, { properties }] of Object.entries(document.components.schemas)) {
      for (const [field, { description: meaning }] of Object.entries(properties ?? {})) {
        assert.ok(meaning || ["success", "data"].includes(field), `${name}.${field}`);
      }
    }
    for (const { operation } of calls) {
      const { properties = {} } = operation.requestBody?.content["application/json"]?.schema ?? {};
      for (const [field, { description: meaning }] of Object.entries(properties)) {
        assert.ok(meaning, `${operation.operationId} ${field}`);
      }
    }
  });

  it("reads aliases, nullability, lists and lower-case values from documents and types", () => {
    const { Guest, CreatedUser, PlacementResult } = document.components.schemas;
    assert.deepEqual(Guest?.properties?.["type"]?.enum, ["qemu", "lxc"]);
    assert.deepEqual(Guest?.properties?.["lock"]?.type, ["string", "null"]);
    assert.equal(Guest?.properties?.["memory_mb"]?.description, "Configured RAM, MiB.");
    assert.deepEqual(CreatedUser?.required?.at(-1), "password");
    assert.deepEqual(PlacementResult?.properties?.["best"]?.anyOf?.[1], { type: "null" });
    assert.deepEqual(PlacementResult?.required, ["best", "ranked", "dropped"]);
  });

  it("refuses rows that it cannot describe", () => {
    const [first, ...rest] = routes;
    assert.ok(first !== undefined);
    const refusal = (changed: typeof first) => () => describeRest(buildDroverSchema(), [changed, ...rest]);
    assert.throws(
      refusal({ ...first, document: "query Users { data: hosts { items { id } } }" }),
      /Two rows are called/,
    );
    assert.throws(refusal({ ...first, document: "{ data: hosts { items { id } } }" }), /has no name/);
    assert.throws(
      refusal({ ...first, document: "query Hosts { data: hosts { nonsense } }" }),
      /nonsense, which does not/,
    );
    const fragment = "query Hosts { data: hosts { items { ...all } } } fragment all on Host { id }";
    assert.throws(refusal({ ...first, document: fragment }), /by a fragment/);
    assert.throws(refusal({ ...first, path: "/elsewhere" }), /has no OpenAPI tag/);
  });
});

function schemasOf({ operation }: DescribedCall): readonly JsonSchema[] {
  const answers = Object.values(operation.responses).map((response) => responseOf(document, response));
  const bodies = operation.requestBody === undefined ? [] : [operation.requestBody];
  const contents = [...answers, ...bodies].flatMap(({ content }) => Object.values(content));
  return [...contents.map(({ schema }) => schema), ...(operation.parameters ?? []).map(({ schema }) => schema)];
}

const answer = (status: number, body: unknown, headers: Record<string, string> = { "X-Request-Id": "1" }) => ({
  status,
  body,
  headers: new Headers(headers),
});

describe("rest/openapi: the check of answers", () => {
  const description = new Description(document);
  const vmid = { method: "GET", path: "/hosts/1/next-vmid" };
  const right = { success: true, data: { vmid: 100 }, error: null };

  it("takes what is described", () => {
    description.check(vmid, answer(200, right));
    description.check({ method: "PUT", path: "/nonsense" }, answer(404, { success: false, data: null, error: "no" }));
  });

  const wrongs = [
    { what: "a field too many", answer: answer(200, { ...right, data: { vmid: 100, extra: 1 } }) },
    { what: "a missing field", answer: answer(200, { ...right, data: {} }) },
    { what: "another type", answer: answer(200, { ...right, data: { vmid: "100" } }) },
    { what: "meta where there is no list", answer: answer(200, { ...right, meta: { page: 1, perPage: 1, total: 1 } }) },
    { what: "a status that is not foreseen", answer: answer(502, { success: false, data: null, error: "no" }) },
    { what: "the envelope of a token check", answer: answer(403, { success: false, data: null, error: "no" }) },
    { what: "the short body of another failure", answer: answer(404, { error: "no" }) },
    { what: "an answer without its name", answer: answer(200, right, {}) },
    { what: "a 429 that does not say until when", answer: answer(429, { error: "no" }) },
  ];
  for (const { what, answer: wrong } of wrongs) {
    it(`refuses ${what}`, () => {
      assert.throws(() => description.check(vmid, wrong), assert.AssertionError);
    });
  }
});

describe("rest/openapi: served", () => {
  let service: RestService;
  let world: World;
  before(async () => {
    service = await startRest({});
    world = await fillWorld(service.services.pool, new Date());
  });
  after(() => service.close());

  it("gives the document to every client", async () => {
    const { status, headers, body } = await send(service, world, { method: "GET", path: "/openapi.json", token: null });
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^application\/json/);
    assert.deepEqual(body, JSON.parse(JSON.stringify(document)));
  });

  it("gives every client a page that may run and read only what the service itself serves", async () => {
    const response = await fetch(`${service.base}/docs`);
    const page = await response.text();
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    assert.equal(
      response.headers.get("content-security-policy"),
      "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.doesNotMatch(page, /https?:|\/\//);
    assert.deepEqual(
      [...page.matchAll(/ src="([^"]+)"/g)].map(([, source]) => source),
      ["docs/viewer.js"],
    );
  });

  it("serves the viewer compressed, and once", async () => {
    const address = `${service.base}/docs/viewer.js`;
    const plain = await fetch(address, { headers: { "Accept-Encoding": "identity" } });
    const script = await plain.text();
    assert.match(plain.headers.get("content-type") ?? "", /^text\/javascript/);
    assert.equal(script, await readFile(VIEWER, "utf8"));
    const packed = await fetch(address);
    assert.equal(packed.headers.get("content-encoding"), "gzip");
    const sentBytes = Number(packed.headers.get("content-length"));
    assert.ok(sentBytes > 0 && sentBytes <= MOST_VIEWER_BYTES, `${sentBytes} bytes`);
    assert.equal(await packed.text(), script);
    const again = await fetch(address, { headers: { "If-None-Match": packed.headers.get("etag") ?? "" } });
    assert.deepEqual([again.status, await again.text()], [304, ""]);
  });

  it("leaves a row in the request log", async () => {
    await send(service, world, { method: "GET", path: "/openapi.json?token=hidden", token: null });
    await eventually(async () => {
      const { rows } = await service.services.pool.query(
        "select distinct token_id, status from request_log where method = 'GET' and path = '/api/v1/openapi.json'",
      );
      assert.deepEqual(rows, [{ token_id: null, status: 200 }]);
    });
  });

  it("answers HEAD, and 405 to other methods", async () => {
    for (const path of ["/openapi.json", "/docs"]) {
      assert.equal((await fetch(service.base + path, { method: "HEAD" })).status, 200);
      const refused = await send(service, world, { method: "POST", path, token: null });
      assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"]);
    }
  });

  it("asks for exactly the required fields when nothing is sent", async () => {
    const examples = { id: "1", type: "qemu", vmid: "100" };
    for (const { method, path, operation } of calls) {
      const schema = operation.requestBody?.content["application/json"]?.schema;
      if (schema === undefined || path.startsWith("/agent")) continue;
      const filled = path
        .replace("/users/{id}", "/users/2")
        .replaceAll(/\{(\w+)\}/g, (_, name) => Reflect.get(examples, name) ?? "1");
      assert.ok(method === "POST" || method === "PATCH", method);
      const { status, body } = await send(service, world, { method, path: filled, json: {} });
      // What is not sent stays: nothing is asked for where a record is changed.
      assert.equal(status, method === "PATCH" ? 200 : 422, filled);
      assert.equal(method === "PATCH" && schema.required !== undefined, false, filled);
      for (const name of schema.required ?? []) assert.match(JSON.stringify(body), new RegExp(`\\b${name}: `));
    }
  });
});
