// Checks that what takes long is named, again and again, with what is known of why.
import assert from "node:assert/strict";
import { stage } from "../../demo/stages.js";

describe("demo/stages", () => {
  it("names a stage that takes long until it is over", async () => {
    const lines: string[] = [];
    const { promise: threeLines, resolve } = Promise.withResolvers<string>();
    const say = (line: string): void => {
      if (lines.push(line) === 3) resolve("made");
    };
    const work = (note: (reason: string) => void) => {
      note("lon1: no answer yet");
      return threeLines;
    };
    assert.equal(await stage("the agents report", work, { say, firstMs: 1 }), "made");
    for (const line of lines)
      assert.match(line, /^Still waiting after \d+ s: the agents report \(lon1: no answer yet\)$/);
    assert.equal(lines.length, 3);
  });

  it("reports nothing of a stage that is over soon, and passes on its failure", async () => {
    const lines: string[] = [];
    const failure = new Error("the service ended");
    await assert.rejects(
      stage("the service starts", () => Promise.reject(failure), {
        say: (line) => void lines.push(line),
        firstMs: 600_000,
      }),
      failure,
    );
    assert.deepEqual(lines, []);
  });
});
