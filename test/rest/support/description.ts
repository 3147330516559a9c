// Holds answers of REST v1 against its OpenAPI document: status, headers and body must be as described.
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import {
  callsOf,
  responseOf,
  type DescribedCall,
  type OpenApiDocument,
  type Response,
} from "../../../rest/openapi/document.js";
import { refTo, type JsonSchema } from "../../../rest/openapi/jsonSchema.js";
import type { CaseAnswer } from "./case.js";

/** Statuses whose body is short, where no endpoint says so. */
const TOKEN_CHECKS: ReadonlySet<number> = new Set([401, 403, 429]);

export interface Asked {
  readonly method: string;
  /** Below `/api/v1`, with its query string. */
  readonly path: string;
}

export class Description {
  readonly #document: OpenApiDocument;
  readonly #calls: readonly DescribedCall[];
  readonly #validators = new Map<JsonSchema, ValidateFunction>();
  readonly #ajv = addFormats.default(new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }));

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#calls = callsOf(document);
    this.#ajv.addVocabulary(["components"]);
  }

  /** Fails unless the document foresees this answer to this request. */
  check(asked: Asked, answer: CaseAnswer): void {
    const call = this.#calls.find((known) => isCalled(known, asked));
    if (call === undefined) return this.#checkAnswer(refTo(failureOf(answer.status)), asked, answer);
    const response = this.#foreseen(call, answer.status);
    for (const [name, header] of Object.entries(this.#document.components.headers)) {
      const needed = header.required === true && response.headers?.[name] !== undefined;
      assert.ok(!needed || answer.headers.has(name), `the answer has ${name}`);
    }
    const schema = response.content["application/json"]?.schema;
    assert.ok(schema !== undefined, "the answer is described as JSON");
    this.#checkAnswer(schema, asked, answer);
  }

  /** The answer to HEAD has no body. */
  #checkAnswer(schema: JsonSchema, { method }: Asked, { body }: CaseAnswer): void {
    if (method === "HEAD") assert.equal(body, undefined);
    else this.#checkBody(schema, body);
  }

  /** Fails unless a value is as a schema of the document says. @throws Error when it is no JSON Schema, or refers to nothing */
  #checkBody(schema: JsonSchema, body: unknown): void {
    const validate = this.validator(schema);
    assert.ok(validate(body), `${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
  }

  /** Compiles a schema of the document. @throws Error when it is no JSON Schema, or refers to nothing */
  validator(schema: JsonSchema): ValidateFunction {
    const known = this.#validators.get(schema);
    if (known !== undefined) return known;
    const { components } = this.#document;
    const compiled = this.#ajv.compile({ ...schema, components: { schemas: components.schemas } });
    this.#validators.set(schema, compiled);
    return compiled;
  }

  #foreseen({ method, path, operation }: DescribedCall, status: number): Response {
    const response = operation.responses[status];
    assert.ok(response !== undefined, `${method} ${path} does not say that it may answer ${status}`);
    return responseOf(this.#document, response);
  }
}

/** Whether a request, with values in its path, is one for the operation. */
export function isCalled({ method, path }: DescribedCall, asked: Asked): boolean {
  const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/?]+")}(\\?|$)`);
  return method === (asked.method === "HEAD" ? "GET" : asked.method) && pattern.test(asked.path);
}

const failureOf = (status: number): string => (TOKEN_CHECKS.has(status) ? "ShortFailure" : "Failure");
