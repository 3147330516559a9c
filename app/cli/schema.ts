// `drover export-schema`: writes the GraphQL schema.
import { Command } from "commander";
import { writeFile } from "node:fs/promises";
import { printDroverSchema } from "../../resolvers/buildSchema.js";

export function schemaCommand(): Command {
  return new Command("export-schema")
    .description("write the GraphQL schema")
    .argument("[file]", "where to; standard output when left out")
    .action(exportSchema);
}

async function exportSchema(file: string | undefined): Promise<void> {
  if (file === undefined) process.stdout.write(printDroverSchema());
  else await writeFile(file, printDroverSchema());
}
