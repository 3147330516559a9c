// However the service is started, as the operators' page says, by `npm start` or by `drover worker`, Node.js is told the same.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { z } from "zod";

const read = (name: string): Promise<string> => readFile(new URL(`../../../${name}`, import.meta.url), "utf8");
const description = z.object({ scripts: z.object({ start: z.string() }) });

it("docs/operating.md and bin/drover.js give Node.js the options that npm start gives it", async () => {
  const { scripts } = description.parse(JSON.parse(await read("package.json")));
  const options = scripts.start.match(/--\S+/g) ?? [];
  assert.ok(options.length > 0);
  const page = await read("docs/operating.md");
  const unit = page.split("\n").find((line) => line.startsWith("ExecStart=")) ?? "";
  const image = page.split("\n").find((line) => line.includes("CMD [")) ?? "";
  const command = (await read("bin/drover.js")).split("\n").find((line) => line.startsWith("const FLAGS =")) ?? "";
  for (const line of [unit, image, command]) assert.deepEqual(line.match(/--[a-z][^\s"`,]*/g), options);
});
