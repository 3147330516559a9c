// Writes the TypeScript client: an interface for each record and body, a method for each operation.
import type { OpenApiDocument } from "../document.js";
import { nameOfRef, type JsonSchema } from "../jsonSchema.js";
import { camelCase, clientCalls, isOptional, type ClientCall } from "./clientCall.js";

const FAILURES: ReadonlySet<string> = new Set(["Failure", "ShortFailure"]);

/** The whole file; formatting is left to the formatter. */
export function typescriptClient(document: OpenApiDocument): string {
  const calls = clientCalls(document);
  const records = Object.entries(document.components.schemas).filter(([name]) => !FAILURES.has(name));
  const bodies = calls.flatMap(({ name, summary, body }) =>
    body === null ? [] : [interfaceOf(bodyName(name), { ...body, description: `Body of ${name}: ${summary}.` })],
  );
  return [
    HEAD,
    ...records.map(([name, schema]) => interfaceOf(name, schema)),
    ...bodies,
    COMMON,
    `export class Drover {${CONNECTION}\n${calls.map(methodOf).join("\n\n")}\n\n${CALLING}}\n`,
    WRITE_PATH,
  ].join("\n");
}

const bodyName = (operation: string): string => `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Body`;

const comment = (text: string | undefined): string => (text ? `/** ${text.replaceAll("*/", "* /")} */\n` : "");

const interfaceOf = (name: string, schema: JsonSchema): string =>
  `${comment(schema.description)}export interface ${name} ${fieldsOf(schema)}\n`;

function fieldsOf({ properties = {}, required = [] }: JsonSchema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`,
  );
  return `{\n${fields.join("\n")}\n}`;
}

/** The same in one line, for the values of a method. */
function lineOf({ properties = {}, required = [] }: JsonSchema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`,
  );
  return `{ ${fields.join("; ")} }`;
}

/** The TypeScript type of a value. */
function typeOf(schema: JsonSchema): string {
  const name = nameOfRef(schema);
  if (name !== null) return name;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.properties !== undefined) return fieldsOf(schema);
  if (schema.items !== undefined) return `readonly (${typeOf(schema.items)})[]`;
  return [schema.type ?? "unknown"].flat().map(plainTypeOf).join(" | ");
}

const PLAIN: ReadonlyMap<string, string> = new Map([
  ["integer", "number"],
  ["object", "Readonly<Record<string, unknown>>"],
]);

const plainTypeOf = (type: string): string => PLAIN.get(type) ?? type;

function methodOf({ name, method, path, summary, inPath, query, body, data, isPage }: ClientCall): string {
  const values = inPath.map(({ name: value, schema }) => `${camelCase(value)}: ${typeOf(schema)}`);
  if (query !== null) values.push(`query: ${lineOf(query)}${isOptional(query) ? " = {}" : ""}`);
  if (body !== null) values.push(`body: ${bodyName(name)}${isOptional(body) ? " = {}" : ""}`);
  const sent = [query === null ? "" : "query", body === null ? "" : "body"].filter((part) => part !== "");
  const target = `writePath\`${path.replaceAll(/\{(\w+)\}/g, (_, value: string) => `\${${camelCase(value)}}`)}\``;
  const [result, door] = isPage ? [`Page<${typeOf(data.items ?? {})}>`, "#page"] : [typeOf(data), "#record"];
  return `/** ${summary}. \`${method} ${path}\` */
  ${name}(${values.join(", ")}): Promise<${result}> {
    return this.${door}("${method}", ${target}${sent.length > 0 ? `, { ${sent.join(", ")} }` : ""});
  }`;
}

const HEAD = `// Client of Drover's REST v1 for whatever has fetch: Node.js 18 and newer, Deno, Bun. Written from the OpenAPI document, not by hand.
/* oxlint-disable max-lines -- one file, to be copied into other projects */
`;

const COMMON = `/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly meta: PageMeta;
}

/** A refusal: its HTTP status, and the service's own words. */
export class DroverError extends Error {
  readonly status: number;
  /** Seconds after which a 429 is over; null otherwise. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.name = "DroverError";
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A job that failed; the message is the reason. */
export class JobFailed extends Error {
  readonly job: Job;

  constructor(job: Job) {
    super(job.error ?? "The job failed");
    this.name = "JobFailed";
    this.job = job;
  }
}

interface Sent {
  readonly query?: object;
  readonly body?: object;
}

interface Envelope<Data> {
  readonly data?: Data;
  readonly error?: string | null;
  readonly meta?: PageMeta;
}
`;

const CONNECTION = `
  readonly #base: string;
  readonly #token: string;
  readonly #timeoutMs: number;

  /** @param url where the service is, such as \`https://panel.example.com\` */
  constructor(url: string, token: string, timeoutSeconds = 60) {
    this.#base = \`\${url.replace(/\\/$/, "")}/api/v1\`;
    this.#token = token;
    this.#timeoutMs = timeoutSeconds * 1000;
  }

  /** Every record of a list: \`for await (const guest of drover.all((page) => drover.guests(1, page)))\`. */
  async *all<Item>(list: (page: { page: number; perPage: number }) => Promise<Page<Item>>): AsyncGenerator<Item> {
    for (let page = 1, seen = 0, total = 1; seen < total; page++) {
      const { items, meta } = await list({ page, perPage: 200 });
      if (items.length === 0) return;
      yield* items;
      seen += items.length;
      total = meta.total;
    }
  }

  /** Asks for a job every few seconds until it is done. @throws JobFailed; DroverError (408) when it takes too long */
  async waitForJob(hostId: number, jobId: number, timing: { everySeconds?: number; atMostSeconds?: number } = {}): Promise<Job> {
    const { everySeconds = 3, atMostSeconds = 3600 } = timing;
    const deadline = Date.now() + atMostSeconds * 1000;
    for (;;) {
      const job = await this.job(hostId, jobId);
      if (job.status === "done") return job;
      if (job.status === "failed") throw new JobFailed(job);
      if (Date.now() >= deadline) throw new DroverError(408, \`Job \${jobId} is still \${job.status}\`);
      await new Promise((resolve) => setTimeout(resolve, everySeconds * 1000));
    }
  }
`;

const CALLING = `async #record<Data>(method: string, path: string, sent: Sent = {}): Promise<Data> {
    const { data } = await this.#call<Data>(method, path, sent);
    if (data === undefined) throw new DroverError(502, "The answer has no data");
    return data;
  }

  async #page<Item>(method: string, path: string, sent: Sent = {}): Promise<Page<Item>> {
    const { data, meta } = await this.#call<readonly Item[]>(method, path, sent);
    if (data === undefined || meta === undefined) throw new DroverError(502, "The answer is no list");
    return { items: data, meta };
  }

  async #call<Data>(method: string, path: string, { query = {}, body }: Sent): Promise<Envelope<Data>> {
    const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const headers: Record<string, string> = { Authorization: \`Bearer \${this.#token}\`, Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(\`\${this.#base}\${path}?\${parameters}\`, {
      method,
      headers,
      signal: AbortSignal.timeout(this.#timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const envelope = readEnvelope<Data>(response.status, await response.text());
    if (response.ok) return envelope;
    const retryAfter = response.headers.get("Retry-After");
    throw new DroverError(response.status, envelope.error ?? response.statusText, retryAfter === null ? null : Number(retryAfter));
  }
`;

const WRITE_PATH = `/** Path values are encoded: the id of a task has colons. */
const writePath = (texts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)));

/** A proxy in between may answer something else than the service would. */
function readEnvelope<Data>(status: number, text: string): Envelope<Data> {
  try {
    const envelope: Envelope<Data> = JSON.parse(text);
    return envelope;
  } catch (cause) {
    throw new DroverError(status, \`The answer is no JSON: \${String(cause)}\`);
  }
}
`;
