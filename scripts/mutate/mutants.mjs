// Lists the small changes of a compiled file that a test should notice: one operator, condition, statement or word of SQL each.
import { parseAst, parseSync } from "vite";
import { isSql, sqlChanges } from "./sql.mjs";

/**
 * @typedef {object} Mutant
 * @property {number} start Where the text begins that is replaced.
 * @property {number} end
 * @property {string} text What replaces it.
 * @property {string} kind
 */

const BINARY = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
};
const LOGICAL = { "&&": ["||"], "||": ["&&"], "??": ["&&"] };
/** Of a condition that the query builder is called with. */
const CONDITION = {
  "=": [">=", "<="],
  "<>": ["="],
  "<": ["<="],
  "<=": ["<"],
  ">": [">="],
  ">=": [">"],
  is: ["is not"],
  "is not": ["is"],
};
const ASSIGNMENT = { "+=": "-=", "-=": "+=", "??=": "=" };
const METHODS = { some: "every", every: "some", min: "max", max: "min" };
/** Calls without which the list stays as it is. */
const DROPPED = new Set(["filter", "slice", "toSorted", "toReversed", "trim", "trimEnd", "toLowerCase"]);
const SKIPPED = new Set(["ImportDeclaration", "ExportAllDeclaration", "PropertyDefinition"]);

/** @param {string} source @returns {Mutant[]} in the order of the text */
export function mutantsOf(source) {
  /** @type {Mutant[]} */
  const found = [];
  const add = (kind, { start, end }, text) => {
    if (source.slice(start, end) !== text) found.push({ kind, start, end, text });
  };
  walk(parseAst(source), (node, parent) => {
    const change = CHANGES[node.type];
    if (change !== undefined) change({ node, parent, source, add, text: ({ start, end }) => source.slice(start, end) });
  });
  return found.toSorted((one, other) => one.start - other.start || one.end - other.end);
}

/** A change that leaves no program says nothing of the tests. @returns {boolean} */
export const isProgram = (source) => parseSync("mutant.mjs", source).errors.length === 0;

const condition =
  (name) =>
  ({ node, add }) => {
    if (node[name] === null) return;
    if (node.type !== "WhileStatement" && node.type !== "ForStatement") add("condition", node[name], "true");
    add("condition", node[name], "false");
  };

/** The operator stands somewhere between its sides. */
function operator({ node, add, source }, others, kind) {
  const from = source.indexOf(node.operator, node.left.end);
  for (const other of others ?? []) add(kind, { start: from, end: from + node.operator.length }, other);
}

const isText = (node) => node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");

const CHANGES = {
  BinaryExpression(found) {
    const { left, right, operator: sign } = found.node;
    if (sign === "+" && [left, right].some(isText)) return;
    operator(found, BINARY[sign], "operator");
  },
  LogicalExpression: (found) => operator(found, LOGICAL[found.node.operator], "operator"),
  AssignmentExpression(found) {
    const other = ASSIGNMENT[found.node.operator];
    if (other !== undefined) operator(found, [other], "assignment");
  },
  UpdateExpression({ node, add, text }) {
    add("operator", node, text(node).replace(node.operator, node.operator === "++" ? "--" : "++"));
  },
  UnaryExpression({ node, add, text }) {
    if (node.operator === "!" || node.operator === "-") add("operator", node, `(${text(node.argument)})`);
  },
  IfStatement: condition("test"),
  ConditionalExpression: condition("test"),
  WhileStatement: condition("test"),
  ForStatement: condition("test"),
  AwaitExpression: ({ node, add, text }) => add("await", node, `(${text(node.argument)})`),
  Literal({ node, parent, add, source }) {
    if (typeof node.value === "number") {
      const isKey = parent.type === "Property" && parent.key === node;
      if (!isKey) add("number", node, String(node.value === 0 ? 1 : node.value + 1));
    } else if (typeof node.value === "boolean") add("boolean", node, String(!node.value));
    else if (typeof node.value === "string" && isSql(node.value)) sql({ node, add, source });
    else if (parent.type === "CallExpression" && Object.hasOwn(CONDITION, node.value))
      for (const other of CONDITION[node.value]) add("sql", node, JSON.stringify(other));
  },
  TemplateLiteral({ node, add, source }) {
    const isStatement = isSql(node.quasis.map(({ value }) => value.cooked).join(" x "));
    if (isStatement) for (const part of node.quasis) sql({ node: part, add, source });
  },
  ExpressionStatement({ node, add }) {
    if (node.directive === undefined) add("statement", node, ";");
  },
  ThrowStatement: ({ node, add }) => add("statement", node, ";"),
  BreakStatement: ({ node, add }) => add("statement", node, ";"),
  ContinueStatement: ({ node, add }) => add("statement", node, ";"),
  ReturnStatement({ node, add }) {
    if (node.argument !== null && !isSimple(node.argument)) add("result", node.argument, "undefined");
  },
  ArrowFunctionExpression({ node, add }) {
    if (node.body.type !== "BlockStatement" && !isSimple(node.body)) add("result", bare(node.body), "(undefined)");
  },
  ArrayExpression({ node, add }) {
    if (node.elements.length > 0) add("list", node, "[]");
  },
  CallExpression({ node, add, text }) {
    const { callee } = node;
    if (callee.type !== "MemberExpression" || callee.computed) return;
    const other = METHODS[callee.property.name];
    if (other !== undefined) add("method", callee.property, other);
    if (DROPPED.has(callee.property.name)) add("method", node, text(callee.object));
  },
};

const bare = (node) => (node.type === "ParenthesizedExpression" ? bare(node.expression) : node);

/** What gives nothing as it is, or a constant that is a change of its own. */
function isSimple(node) {
  const { type, value, name } = bare(node);
  return (type === "Literal" && typeof value !== "string") || (type === "Identifier" && name === "undefined");
}

function sql({ node, add, source }) {
  for (const { from, to, text } of sqlChanges(source.slice(node.start, node.end)))
    add("sql", { start: node.start + from, end: node.start + to }, text);
}

function walk(node, visit, parent = null) {
  if (SKIPPED.has(node.type)) return;
  visit(node, parent);
  for (const [key, value] of Object.entries(node)) {
    if (key === "parent") continue;
    for (const child of Array.isArray(value) ? value : [value])
      if (child !== null && typeof child === "object" && typeof child.type === "string") walk(child, visit, node);
  }
}
