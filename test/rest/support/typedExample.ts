// Compiles the TypeScript example against the types that openapi-typescript makes of the OpenAPI document.
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { OpenApiDocument } from "../../../rest/openapi/document.js";

const run = promisify(execFile);
const inRoot = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** A copy of the example with its types beside it, as an integrator has them. */
export class TypedExample {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async prepare(document: OpenApiDocument): Promise<TypedExample> {
    const directory = await mkdtemp(inRoot("dist/example-"));
    await writeFile(join(directory, "openapi.json"), JSON.stringify(document));
    const generator = inRoot("tools/openapi-types/node_modules/openapi-typescript/bin/cli.js");
    await run(process.execPath, [generator, "openapi.json", "--output", "openapi.ts"], { cwd: directory });
    const compilerOptions = { noEmit: true, rootDir: ".", erasableSyntaxOnly: true };
    const settings = { extends: inRoot("tsconfig.json"), compilerOptions, files: ["billing.ts"], include: [] };
    await writeFile(join(directory, "tsconfig.json"), JSON.stringify(settings));
    await copyFile(inRoot("docs/examples/billing.ts"), join(directory, "billing.ts"));
    return new TypedExample(directory);
  }

  get path(): string {
    return join(this.#directory, "billing.ts");
  }

  /** @throws Error with what the compiler finds */
  async compile(): Promise<void> {
    await run(process.execPath, [inRoot("node_modules/typescript/bin/tsc"), "-p", this.#directory]);
  }

  remove(): Promise<void> {
    return rm(this.#directory, { recursive: true });
  }
}
