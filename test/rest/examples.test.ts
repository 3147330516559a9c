// Tests that the examples under docs/examples use only what the OpenAPI document has.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { describeRest } from "../../rest/openapi/describe.js";
import { routes } from "../../rest/routes/index.js";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { TypedExample } from "./support/typedExample.js";
import { PHP, SHELL, usedNames } from "./support/usedNames.js";

const example = (name: string): URL => new URL(`../../../docs/examples/${name}`, import.meta.url);
const document = describeRest(buildDroverSchema(), routes);

/** What each example does. */
const REQUESTS = [
  "DELETE /hosts/{id}/guests/{type}/{vmid}",
  "GET /hosts/{id}/guests/{type}/{vmid}",
  "GET /hosts/{id}/jobs/{job_id}",
  "GET /hosts/{id}/next-vmid",
  "GET /hosts/{id}/tasks/{node}/{upid}",
  "GET /placement/suggest",
  "POST /hosts/{id}/guests",
  "POST /hosts/{id}/guests/{type}/{vmid}/power",
  "POST /hosts/{id}/guests/{type}/{vmid}/reinstall",
];

const UNTYPED = [
  { name: "billing.sh", language: SHELL, jobId: ".data.job_id" },
  { name: "billing.php", language: PHP, jobId: "['job_id']" },
];

describe("docs/examples without types", () => {
  for (const { name, language, jobId } of UNTYPED) {
    it(`${name} uses only paths and fields that the OpenAPI document has`, async () => {
      const { requests, unknown } = usedNames(await readFile(example(name), "utf8"), language, document);
      assert.deepEqual([...new Set(requests)].toSorted(), REQUESTS);
      assert.deepEqual(unknown, []);
    });

    it(`${name} would be refused with another path, or another field of a query, a body or an answer`, async () => {
      const text = await readFile(example(name), "utf8");
      const unknownWith = (from: string, to: string): readonly string[] => {
        assert.ok(text.includes(from), from);
        return usedNames(text.replace(from, to), language, document).unknown;
      };
      assert.deepEqual(unknownWith("/next-vmid", "/vmid")[0], "GET /hosts/1/vmid");
      assert.deepEqual(unknownWith("&disk_gb=", "&disk="), ["disk"]);
      assert.deepEqual(unknownWith("os_template", "template"), ["template"]);
      assert.deepEqual(unknownWith(jobId, jobId.replace("_id", "")), ["job"]);
    });
  }
});

describe("docs/examples/billing.ts", () => {
  let typed: TypedExample;
  before(async () => {
    typed = await TypedExample.prepare(document);
  });
  after(() => typed.remove());

  it("fits the types that openapi-typescript makes of the OpenAPI document", async () => {
    await typed.compile();
  });

  it("would not fit them with another field", async () => {
    const text = await readFile(typed.path, "utf8");
    await writeFile(typed.path, text.replace("created.job_id", "created.job"));
    await assert.rejects(typed.compile(), ({ stdout }: { stdout: string }) =>
      /Property 'job' does not exist/.test(stdout),
    );
  });
});
