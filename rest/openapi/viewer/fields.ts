// Shows values: what type they have, in words, and the fields of records as a table.
import type { Parameter } from "../document.js";
import { nameOfRef, type JsonSchema } from "../jsonSchema.js";
import { html, prose, type Html } from "./html.js";

/** One row of a table of fields. */
interface Row {
  readonly name: string;
  readonly note: string;
  readonly schema: JsonSchema;
  readonly description: string;
}

/** Where a named record is shown on the page. */
export const anchorOf = (record: string): string => `record-${record}`;

/** The type of a value in words, with links to records. */
export function typeOf(schema: JsonSchema): Html {
  const name = nameOfRef(schema);
  if (name !== null) return html`<a href="#${anchorOf(name)}">${name}</a>`;
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeOf), " or ");
  if (schema.enum !== undefined) return joined(schema.enum.map(valueOf), " | ");
  if (schema.const !== undefined) return valueOf(schema.const);
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}`;
  const words = typeof schema.type === "string" ? schema.type : (schema.type ?? ["anything"]).join(" or ");
  return html`${words}${boundsOf(schema)}`;
}

const valueOf = (value: unknown): Html => html`<code>${JSON.stringify(value)}</code>`;

const joined = (parts: readonly Html[], separator: string): Html =>
  html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;

function boundsOf({ minimum, maximum, default: standard, format }: JsonSchema): Html {
  const bounds = [
    format === "date-time" ? "RFC 3339, UTC" : "",
    minimum === undefined ? "" : `from ${minimum}`,
    maximum === undefined || maximum === 2_147_483_647 ? "" : `to ${maximum}`,
    standard === undefined ? "" : `${JSON.stringify(standard)} when left out`,
  ].filter((bound) => bound !== "");
  return html`${bounds.length > 0 ? html` <small>${bounds.join(", ")}</small>` : ""}`;
}

const tableOf = (rows: readonly Row[]): Html =>
  html`<table>
    ${rows.map(rowOf)}
  </table>`;

const rowOf = ({ name, note, schema, description }: Row): Html =>
  html`<tr>
    <th scope="row"><code>${name}</code>${note === "" ? "" : html` <small>${note}</small>`}</th>
    <td>${typeOf(schema)}${nestedOf(schema)}</td>
    <td>${prose(description)}</td>
  </tr>`;

/** A record that has no name of its own is shown where it is. */
function nestedOf({ properties, items }: JsonSchema): Html {
  if (properties !== undefined) return fieldTable({ properties });
  return items?.properties === undefined ? html`` : fieldTable(items);
}

/** The fields of a record; those that must be sent are marked when `required` is told. */
export function fieldTable({ properties = {} }: JsonSchema, required: readonly string[] = []): Html {
  return tableOf(
    Object.entries(properties).map(([name, schema]) => ({
      name,
      note: required.includes(name) ? "required" : "",
      schema,
      description: schema.description ?? "",
    })),
  );
}

/** The parameters of an endpoint. */
export function parameterTable(parameters: readonly Parameter[]): Html {
  return tableOf(
    parameters.map(({ name, in: place, required, schema, description }) => ({
      name,
      note: place === "query" && required ? "query, required" : place,
      schema,
      description,
    })),
  );
}
