// Every query of the schema, with all that its answer leads to, about objects of the planted database.
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from "graphql";

/** Fields of records below a root field's own that a question leads to. */
const DEEPEST = 2;

/**
 * What arguments and input fields are tried with, by their names; `field.argument` goes before. Each is tried by itself, required
 * ones in every combination.
 */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  hostId: [1, 2],
  hostIds: [1, 2],
  targetHostId: [2],
  otherThanHostId: [1],
  id: [1, 2, 3],
  ids: [1, 2, 5],
  "job.id": [1, 2, 4, 6, 8, 9, 10, 14],
  "user.id": [1, 3, 5, 6],
  userId: [1, 3, 5, 6],
  "users.userId": ["plantcustomerb-ext"],
  email: ["plantcustomerb@x.example"],
  username: ["plantcustomerb"],
  ownerId: [5, 6],
  guestId: [2, 5],
  zoneId: [1, 2],
  ipZoneId: [2],
  tokenId: [1, 4],
  vmid: [102, 103],
  targetVmid: [],
  node: ["plantnode1a", "plantnode1b", "plantnode2"],
  name: ["plantnode1a", "plantnode1b", "plantnode2"],
  targetNode: ["plantnode2"],
  search: ["plant", "plantguestb", "plantcustomerb@x.example", "plantnode2", "192.0.2.11"],
  tag: ["plantguestb1-tag"],
  address: ["198.51.100.11", "192.0.2.11"],
  sourceIp: ["203.0.113.207"],
  path: ["plantcall"],
  upid: ["UPID:plantnode1a:00000001:00000001:65000000:qmstart:102:root@pam:"],
  at: [],
  from: [],
  to: [],
  statusMin: [400],
  statusMax: [400],
  memoryMb: [1024],
  cores: [1],
  diskGb: [10],
  page: [2],
  perPage: [2],
  bandwidthMib: [],
  storageMap: [],
  bridgeMap: [],
};
const FLAGS = [true, false];
/** Of which only some values say something of their own. */
const NARROWED: Readonly<Record<string, readonly string[]>> = { status: ["RUNNING", "FAILED", "OFFLINE"] };

/** @returns each question as a document */
export function everyQuestion(schema: GraphQLSchema): string[] {
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {});
  return roots.flatMap((field) =>
    everyArguments(field).flatMap((given, place) =>
      // What the answer leads to plays no part in how a list is narrowed: that is asked in the shortest form.
      selectionsOf(field.type, place < requiredOnly(field).length).map(
        (selection) => `{ ${field.name}${given} ${selection} }`,
      ),
    ),
  );
}

type Field = GraphQLField<unknown, unknown>;
type Given = GraphQLArgument | GraphQLInputField;

const requiredOnly = (field: Field): string[] => combinations(field.name, field.args.filter(isRequired));

/** Required arguments in every combination, then each optional one beside the first of these. */
const everyArguments = (field: Field): string[] =>
  withOptional(field.name, field.args).map((given) => (given === "" ? "" : `(${given})`));

function withOptional(owner: string, given: readonly Given[]): string[] {
  const required = combinations(owner, given.filter(isRequired));
  const [first = ""] = required;
  const optional = given.filter((one) => !isRequired(one)).flatMap((one) => literalsOf(owner, one));
  return [...required, ...optional.map((one) => [first, one].filter((text) => text !== "").join(", "))];
}

const combinations = (owner: string, required: readonly Given[]): string[] =>
  required.reduce<string[]>(
    (so, one) => so.flatMap((text) => literalsOf(owner, one).map((more) => (text === "" ? more : `${text}, ${more}`))),
    [""],
  );

const literalsOf = (owner: string, given: Given): string[] =>
  valuesOf(owner, given).map(
    (value) => `${given.name}: ${isListType(getNullableType(given.type)) ? `[${value}]` : value}`,
  );

/** @throws Error when nobody has said what the argument is to be tried with */
function valuesOf(owner: string, { name, type }: Given): string[] {
  const named = getNamedType(type);
  if (isInputObjectType(named)) {
    const known = VALUES[name];
    if (known !== undefined) return known.map(String);
    return withOptional(name, Object.values(named.getFields())).map((fields) => `{ ${fields} }`);
  }
  if (isEnumType(named))
    return enumValues(
      name,
      named.getValues().map((value) => value.name),
    );
  if (isFlag(named)) return FLAGS.map(String);
  const values = VALUES[`${owner}.${name}`] ?? VALUES[name];
  if (values === undefined) throw new Error(`Say in VALUES what ${owner}(${name}) is to be tried with`);
  return values.map((value) => JSON.stringify(value));
}

const enumValues = (name: string, all: readonly string[]): string[] =>
  all.filter((value) => NARROWED[name]?.includes(value) ?? true);

const isFlag = ({ name }: GraphQLNamedType): boolean => name === "Boolean";
const isRequired = ({ type, defaultValue }: Given): boolean => isNonNullType(type) && defaultValue === undefined;

/** The leaves of a record, then each record that it leads to with everything below; of a page, of its records. */
function selectionsOf(type: GraphQLOutputType, whole: boolean): string[] {
  const record = getNamedType(type);
  if (!isObjectType(record)) return [""];
  const page = itemsOf(record);
  if (page !== null) return selectionsOf(page, whole).map((selection) => `{ items ${selection} meta { total } }`);
  const leaves = leavesOf(record);
  const below = whole ? recordsOf(record).map((field) => wholeField(field, DEEPEST - 1)) : [];
  return [...(leaves.length === 0 ? [] : [leaves]), ...below.map((field) => [field])].map(
    (fields) => `{ ${fields.join(" ")} }`,
  );
}

const itemsOf = (record: GraphQLObjectType): GraphQLOutputType | null =>
  record.name.endsWith("Page") ? (record.getFields()["items"]?.type ?? null) : null;

function wholeField({ name, type }: Field, deeper: number): string {
  const record = getNamedType(type);
  if (!isObjectType(record)) throw new Error(`${name} is no record`);
  const below = deeper === 0 ? [] : recordsOf(record).map((field) => wholeField(field, deeper - 1));
  return `${name} { ${[...leavesOf(record), ...below].join(" ") || "__typename"} }`;
}

const leavesOf = (record: GraphQLObjectType): string[] =>
  Object.values(record.getFields()).flatMap((field) => (isLeafType(getNamedType(field.type)) ? [field.name] : []));

const recordsOf = (record: GraphQLObjectType): Field[] =>
  Object.values(record.getFields()).filter((field) => isObjectType(getNamedType(field.type)));
