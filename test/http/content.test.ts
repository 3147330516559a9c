// What the bytes of a body mean, by the type that they are declared as.
import assert from "node:assert/strict";
import { contentTypeOf, formValues, isForm, isJson, parseJson } from "../../src/http/content.js";

describe("http/content", () => {
  it("reads types in any case, with parameters and without", () => {
    assert.deepEqual(contentTypeOf('Application/JSON ; charset="UTF-16LE"'), {
      type: "application/json",
      charset: "utf-16le",
    });
    assert.ok(isJson(contentTypeOf(undefined)));
    assert.ok(isJson(contentTypeOf("application/problem+json")));
    assert.ok(isForm(contentTypeOf("application/x-www-form-urlencoded; charset=utf-8")));
  });

  it("takes a malformed type for one that fits nothing", () => {
    const type = contentTypeOf("nonsense");
    assert.equal(isForm(type) || isJson(type), false);
  });

  it("parses JSON, and reports which text is none", () => {
    assert.deepEqual(parseJson('{"a":[1]}'), { a: [1] });
    assert.equal(parseJson("{"), undefined);
    assert.equal(parseJson("["), undefined);
  });

  it("collects the values of fields, in every way in which lists are sent, without blank ones", () => {
    assert.deepEqual(
      [...formValues("a=1&a=2&b%5B%5D=3&b[0]=4&blank=&c=x+y")],
      [
        ["a", ["1", "2"]],
        ["b", ["3", "4"]],
        ["c", ["x y"]],
      ],
    );
  });
});
