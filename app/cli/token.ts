// `drover token`: makes, lists and revokes API tokens.
import { Command } from "commander";
import { z } from "zod";
import { createApiToken, revokeApiToken } from "../../src/actions/accounts/token.js";
import { ask, asOperator } from "./operator.js";
import { print, printJson, printRecords } from "./print.js";
import { hostIds, moment, oneMore, wholeNumber } from "./values.js";

const LIST = `{
  apiTokens { id name prefix status allowedIps rateLimit connectionScope permissions madeBy { id } lastUsedAt lastUsedIp expiresAt createdAt }
}`;
const listed = z.object({ apiTokens: z.array(z.record(z.string(), z.unknown())) });

interface CreateOptions {
  readonly name: string;
  readonly allow?: readonly string[];
  readonly rateLimit?: number;
  readonly scope?: readonly number[];
  readonly permission?: readonly string[];
  readonly expires?: Date;
  readonly json?: boolean;
}

export function tokenCommand(): Command {
  const token = new Command("token").description("API tokens");
  token
    .command("create")
    .description("make a token; its value is shown only now")
    .requiredOption("--name <name>", "label")
    .option("--allow <address>", "IP address or CIDR that may use it, again for more; none: any", oneMore)
    .option("--rate-limit <requests>", "requests a minute; 0: no limit", wholeNumber(0))
    .option("--scope <ids>", "host ids, comma-separated; none: every host", hostIds)
    .option("--permission <name>", "grant beyond REST v1, such as hosts.manage, again for more", oneMore)
    .option("--expires <moment>", "when it ends, ISO 8601", moment)
    .option("--json", "as JSON")
    .action(create);
  token
    .command("list")
    .description("list all tokens, ended ones included")
    .option("--json", "as JSON")
    .action((options: { json?: boolean }) =>
      asOperator(async (context) => printRecords(listed.parse(await ask(context, LIST, {})).apiTokens, options.json)),
    );
  token
    .command("revoke")
    .description("revoke a token, and every token that it made, at once")
    .argument("<id>", "id of the token", wholeNumber(1))
    .action((id: number) =>
      asOperator(async (context) => {
        await revokeApiToken(context, id);
        print(`Token ${id} is revoked.`);
      }),
    );
  return token;
}

async function create(options: CreateOptions): Promise<void> {
  const { id, value } = await asOperator((context) =>
    createApiToken(context, {
      name: options.name,
      allowedIps: options.allow?.join("\n"),
      rateLimit: options.rateLimit,
      connectionScope: options.scope,
      permissions: options.permission,
      expiresAt: options.expires,
    }),
  );
  if (options.json === true) printJson({ id, value });
  else print(`Token ${id} (${options.name}), shown only now:\n${value}`);
}
