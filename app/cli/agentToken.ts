// `drover agent-token`: makes the token of a node's agent.
import { Command } from "commander";
import { createAgentToken } from "../../src/actions/host/agentToken.js";
import { asOperator } from "./operator.js";
import { print, printJson } from "./print.js";
import { wholeNumber } from "./values.js";

interface CreateOptions {
  readonly host: number;
  readonly node: string;
  readonly json?: boolean;
}

export function agentTokenCommand(): Command {
  const agentToken = new Command("agent-token").description("tokens of the on-host agents");
  agentToken
    .command("create")
    .description("make a node's token; it replaces the earlier one at once and is shown only now")
    .requiredOption("--host <id>", "id of the host", wholeNumber(1))
    .requiredOption("--node <name>", "name of the node")
    .option("--json", "as JSON")
    .action(create);
  return agentToken;
}

async function create({ host, node, json }: CreateOptions): Promise<void> {
  const created = await asOperator((context) => createAgentToken(context, host, node));
  if (json === true) printJson(created);
  else print(`Token of node ${node} of host ${host}, shown only now:\n${created.value}`);
}
