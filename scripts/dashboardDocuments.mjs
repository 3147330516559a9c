// Generates the dashboard's typed documents from its .graphql files and the service's schema.
import { codegen } from "@graphql-codegen/core";
import * as operations from "@graphql-codegen/typescript-operations";
import { Kind, buildSchema, parse, print, stripIgnoredCharacters, visit } from "graphql";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const types = {
  enumType: "string-literal",
  scalars: { DateTime: "string", SafeInt: "number" },
  defaultScalarType: "unknown",
  skipTypename: true,
  immutableTypes: true,
  useTypeImports: true,
};

/** Writes `dashboard/generated/documents.ts` below `root`. @throws Error when a document does not fit the schema */
export async function generateDocuments(root) {
  const folder = join(root, "dashboard", "documents");
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith(".graphql"))
    .toSorted()
    .map((name) => ({ location: name, document: parse(readFileSync(join(folder, name), "utf8")) }));
  const schema = buildSchema(readFileSync(join(root, "schema", "schema.graphql"), "utf8"));
  documents.push({ location: "schema.graphql", document: everyField(schema, "Settings") });
  const filename = join(root, "dashboard", "generated", "documents.ts");
  const text = await codegen({
    filename,
    schema: parse(readFileSync(join(root, "schema", "schema.graphql"), "utf8")),
    schemaAst: schema,
    documents,
    config: {},
    plugins: [{ operations: types }, { texts: {} }],
    pluginMap: { operations, texts: { plugin: writeTexts } },
  });
  mkdirSync(dirname(filename), { recursive: true });
  writeFileSync(filename, `// Generated from dashboard/documents and schema/schema.graphql; never edited.\n${text}`);
}

/** The fragment `<type>Whole`, with every field of a type. */
function everyField(schema, type) {
  const fields = Object.keys(schema.getType(type).getFields()).join(" ");
  return parse(`fragment ${type}Whole on ${type} { ${fields} }`);
}

/** Each operation as a text with the fragments that it needs: a tenth of the size of its syntax tree. */
function writeTexts(_schema, documents) {
  const definitions = documents.flatMap(({ document }) => document.definitions);
  const fragments = new Map(
    definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).map((each) => [each.name.value, each]),
  );
  const constants = [...fragments.values()].map(
    ({ name }) => `const ${name.value} = ${JSON.stringify(minified(fragments.get(name.value)))};`,
  );
  const texts = definitions
    .filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    .map((each) => {
      const needed = [...fragmentsOf(each, fragments)].map((name) => ` + ${name}`).join("");
      const type = each.name.value + each.operation[0].toUpperCase() + each.operation.slice(1);
      const text = JSON.stringify(minified(each)) + needed;
      return `export const ${each.name.value}Document = typed<${type}, ${type}Variables>(${text});`;
    });
  const typed =
    "const typed = <Data, Variables>(text: string) => text as unknown as TypedDocumentNode<Data, Variables>;";
  return {
    prepend: ['import type { TypedDocumentNode } from "@graphql-typed-document-node/core";'],
    content: [typed, ...constants, ...texts].join("\n"),
  };
}

const minified = (definition) => stripIgnoredCharacters(print(definition));

function fragmentsOf(definition, fragments, found = new Set()) {
  visit(definition, {
    FragmentSpread({ name }) {
      if (found.has(name.value)) return;
      found.add(name.value);
      fragmentsOf(fragments.get(name.value), fragments, found);
    },
  });
  return found;
}
