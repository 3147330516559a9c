// `drover user`: makes users.
import { Command, Option } from "commander";
import { createUser } from "../../src/actions/accounts/user.js";
import { UserRole } from "../../src/core/enums.js";
import { asOperator } from "./operator.js";
import { print, printJson } from "./print.js";

interface CreateOptions {
  readonly email: string;
  readonly username: string;
  readonly userId?: string;
  readonly role: UserRole;
  readonly json?: boolean;
}

export function userCommand(): Command {
  const user = new Command("user").description("customers, resellers, operators and admins");
  user
    .command("create")
    .description("make a user; the generated password is shown only now")
    .requiredOption("--email <address>", "e-mail address")
    .requiredOption("--username <name>", "login name")
    .option("--user-id <id>", "id in a system of your own")
    .addOption(
      new Option("--role <role>", "what they may do").choices(Object.values(UserRole)).default(UserRole.CUSTOMER),
    )
    .option("--json", "as JSON")
    .action(create);
  return user;
}

async function create({ json, ...input }: CreateOptions): Promise<void> {
  const { id, password } = await asOperator((context) => createUser(context, input));
  if (json === true) printJson({ id, password });
  else print(`User ${id} (${input.username}, ${input.role}); password, shown only now:\n${password}`);
}
