// `drover secrets`: replaces the key that stored secrets are encrypted with.
import { Command } from "commander";
import { rotateSecrets, type Rotated } from "../../src/actions/secrets/rotateSecrets.js";
import { asOperator } from "./operator.js";
import { print } from "./print.js";

export function secretsCommand(): Command {
  const secrets = new Command("secrets").description("the encryption of stored secrets");
  secrets
    .command("rotate")
    .description("encrypt all stored secrets with DROVER_SECRET, also those of DROVER_SECRET_PREVIOUS; may be repeated")
    .action(() =>
      asOperator(async (context) => {
        const rotated = await rotateSecrets(context);
        for (const kind of rotated) print(describe(kind));
        if (rotated.some(({ unreadable }) => unreadable.length > 0))
          throw new Error("some secrets cannot be opened by any key");
      }),
    );
  return secrets;
}

function describe({ kind, renewed, current, unreadable }: Rotated): string {
  const lost = unreadable.length === 0 ? "" : `, not readable: ${unreadable.join(", ")}`;
  return `${kind}: ${renewed} encrypted again, ${current} as they should be${lost}`;
}
