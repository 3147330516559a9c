// Tests that broken JSON is refused with the words of JSON::XS.
import assert from "node:assert/strict";
import { JsonBodyError, parseJsonBody } from "../../../simulator/transport/jsonBody.js";

const malformed = "malformed JSON string, neither tag, array, object, number, string or atom";

const broken: [text: string, begins: string][] = [
  ["", `${malformed}, at character offset 0 (before "(end of string)")`],
  ['{"vmid":', `${malformed}, at character offset 8 (before "(end of string)")`],
  ['{"vmid":x}', `${malformed}, at character offset 8 (before "x}")`],
  ['{"vmid":1', ', or } expected while parsing object/hash, at character offset 9 (before "(end of string)")'],
  ['{"vmid" 1}', `':' expected, at character offset 8 (before "1}")`],
  ["[1 2]", ', or ] expected while parsing array, at character offset 3 (before "2]")'],
  ['{"a":"b', 'unexpected end of string while parsing JSON string, at character offset 7 (before "(end of string)")'],
  ["{}x", 'garbage after JSON object, at character offset 2 (before "x")'],
  ["{bad", `'"' expected, at character offset 1 (before "bad")`],
  ['{"a":1,}', `'"' expected, at character offset 7 (before "}")`],
  ["{'a':1}", `'"' expected, at character offset 1 (before "'a':1}")`],
  ["{", `'"' expected, at character offset 1 (before "(end of string)")`],
  ['{"a', 'unexpected end of string while parsing JSON string, at character offset 3 (before "(end of string)")'],
  ['{"a":tru}', `'true' expected, at character offset 5 (before "tru}")`],
  [
    '{"a":01}',
    'malformed number (leading zero must not be followed by another digit), at character offset 6 (before "1}")',
  ],
  ['{"a":-}', 'malformed number (no digits after initial minus), at character offset 6 (before "}")'],
  ['{"a":1.}', 'malformed number (no digits after decimal point), at character offset 7 (before "}")'],
  ['{"a":1e}', 'malformed number (no digits after exp sign), at character offset 7 (before "}")'],
  [
    '{"a":"x\ny"}',
    String.raw`invalid character encountered while parsing JSON string, at character offset 7 (before "\ny"}")`,
  ],
  [
    String.raw`{"a":"\q"}`,
    String.raw`illegal backslash escape sequence in string, at character offset 6 (before "\\q"}")`,
  ],
  [String.raw`{"a":"\u12"}`, 'exactly four hexadecimal digits expected, at character offset 8 (before "12"}")'],
  [
    '{"a":1} x1234567890123456789012345',
    'garbage after JSON object, at character offset 8 (before "x1234567890123456789...")',
  ],
  // Offsets count bytes, and what follows is shown by its numbers.
  [
    '{"é":é',
    String.raw`malformed JSON string, neither tag, array, object, number, string or atom, at character offset 6 (before "\x{e9}")`,
  ],
  ["[1,2]", "Not a HASH reference"],
  ["true", "Not a HASH reference"],
  [`"${"x".repeat(40)}"`, `Can't use string ("${"x".repeat(32)}"...) as a HASH ref`],
  ['"text"', `Can't use string ("text") as a HASH ref while "strict refs" in use`],
];

describe("JSON bodies", () => {
  for (const [text, begins] of broken) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseJsonBody(text),
        (error) => error instanceof JsonBodyError && error.message.startsWith(begins),
      );
    });
  }

  it("takes objects", () => {
    assert.deepEqual(parseJsonBody(' {"vmid": 100, "onboot": true, "list": [1]} '), {
      vmid: 100,
      onboot: true,
      list: [1],
    });
  });
});
