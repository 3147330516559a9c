// Shows the description as one static page: every endpoint with its parameters, bodies and answers, and every record.
import { callsOf, responseOf, type Call, type OpenApiDocument, type Operation } from "../document.js";
import type { JsonSchema } from "../jsonSchema.js";
import { anchorOf, fieldTable, parameterTable, typeOf } from "./fields.js";
import { html, prose, type Html } from "./html.js";
import { STYLE } from "./style.js";

/** The whole page, which needs nothing else. */
export function viewerPage(document: OpenApiDocument): string {
  const calls = callsOf(document);
  const { title, version, description } = document.info;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <header>
          <h1>${title} <small>version ${version}</small></h1>
          ${description.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
          <p>For programs: <a href="openapi.json">openapi.json</a></p>
        </header>
        <nav>${document.tags.map(({ name }) => contentsOf(name, calls))}</nav>
        <main>
          ${document.tags.map(({ name, description: about }) => sectionOf(document, { name, about, calls }))}
          <h2>Records</h2>
          ${Object.entries(document.components.schemas).map(recordOf)}
          <h2>Headers of answers</h2>
          ${fieldTable({ properties: headerSchemas(document) })}
        </main>
      </body>
    </html> `.text;
}

interface Section {
  readonly name: string;
  readonly about: string;
  readonly calls: readonly Call[];
}

const belongsTo =
  (tag: string) =>
  ({ operation }: Call) =>
    operation.tags.includes(tag);

const contentsOf = (tag: string, calls: readonly Call[]): Html =>
  html`<h2>${tag}</h2>
    <ul>
      ${calls
        .filter(belongsTo(tag))
        .map(
          ({ method, path, operation: { operationId } }) =>
            html`<li><a href="#${operationId}">${method} ${path}</a></li>`,
        )}
    </ul>`;

const sectionOf = (document: OpenApiDocument, { name, about, calls }: Section): Html =>
  html`<h2>${name}</h2>
    <p>${about}</p>
    ${calls.filter(belongsTo(name)).map((call) => endpointOf(document, call))}`;

function endpointOf(document: OpenApiDocument, { method, path, operation }: Call): Html {
  const { operationId, summary, description, parameters } = operation;
  return html`<section id="${operationId}">
    <h3><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code></h3>
    <p>${prose(summary)}</p>
    ${description === undefined ? "" : html`<p>${prose(description)}</p>`}
    ${
      parameters === undefined
        ? ""
        : html`<h4>Parameters</h4>
            ${parameterTable(parameters)}`
    }
    ${bodyOf(operation)}
    <h4>Answers</h4>
    <table>
      ${Object.entries(operation.responses).map(([status, response]) =>
        answerRow(status, responseOf(document, response)),
      )}
    </table>
  </section>`;
}

function bodyOf({ requestBody }: Operation): Html {
  const schema = requestBody?.content["application/json"]?.schema;
  if (requestBody === undefined || schema === undefined) return html``;
  return html`<h4>Body</h4>
    <p>${Object.keys(requestBody.content).join(" or ")}</p>
    ${fieldTable(schema, schema.required)}`;
}

const answerRow = (status: string, { description, content }: ReturnType<typeof responseOf>): Html =>
  html`<tr>
    <th scope="row">${status}</th>
    <td>${description}</td>
    <td>${Object.values(content).map(({ schema }) => answerOf(schema))}</td>
  </tr>`;

/** Of an envelope what differs: its data. */
function answerOf(schema: JsonSchema): Html {
  const data = schema.properties?.["data"];
  if (data === undefined) return typeOf(schema);
  const meta = schema.properties?.["meta"];
  const fields = data.properties === undefined ? html`` : fieldTable(data);
  return html`<code>data</code>:
    ${typeOf(data)}${fields}${meta === undefined ? "" : html`; <code>meta</code>: ${typeOf(meta)}`}`;
}

const recordOf = ([name, schema]: [string, JsonSchema]): Html =>
  html`<section id="${anchorOf(name)}">
    <h3>${name}</h3>
    <p>${prose(schema.description ?? "")}</p>
    ${fieldTable(schema)}
  </section>`;

const headerSchemas = ({ components }: OpenApiDocument): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(components.headers).map(([name, { description, schema }]) => [name, { ...schema, description }]),
  );
