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
  ["[1,2]", "Not a HASH reference"],
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
