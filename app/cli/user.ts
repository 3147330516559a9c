// `drover user`: makes, lists, changes and disables people, and lets them in again.
import { Command, Option } from "commander";
import { z } from "zod";
import { endEveryonesSessions, endSessions } from "../../src/actions/accounts/endSession.js";
import { namedUser } from "../../src/actions/accounts/findUser.js";
import { resetAnyPassword } from "../../src/actions/accounts/password.js";
import { resetAnySecondFactor } from "../../src/actions/accounts/totp.js";
import { updateAnyUser, type UserUpdate } from "../../src/actions/accounts/updateUser.js";
import { createUser } from "../../src/actions/accounts/user.js";
import { UserRole } from "../../src/core/enums.js";
import { ask, asOperator } from "./operator.js";
import { print, printJson, printRecords } from "./print.js";
import { RefusedInput } from "./values.js";

const LIST = `query ($role: UserRole, $page: Int) {
  users(role: $role, page: $page, perPage: 200) {
    items { id username email role userId enabled guestCount createdAt } meta { total }
  }
}`;
const listed = z.object({
  users: z.object({ items: z.array(z.record(z.string(), z.unknown())), meta: z.object({ total: z.number() }) }),
});

interface Naming {
  readonly email: string;
  readonly username: string;
  readonly userId?: string;
}

interface Printing {
  readonly json?: boolean;
}

const role = () => new Option("--role <role>", "what they may do").choices(Object.values(UserRole));

export function userCommand(): Command {
  const user = new Command("user").description("customers, resellers, operators and admins");
  user
    .command("create")
    .description("make a user; the generated password is shown only now")
    .requiredOption("--email <address>", "e-mail address")
    .requiredOption("--username <name>", "login name")
    .option("--user-id <id>", "id in a system of your own")
    .addOption(role().default(UserRole.CUSTOMER))
    .option("--json", "as JSON")
    .action(create);
  user.command("list").description("list all users").addOption(role()).option("--json", "as JSON").action(list);
  user
    .command("edit")
    .description("change a user; what is not given stays")
    .argument("<user>", "login name or id")
    .option("--email <address>", "e-mail address")
    .option("--username <name>", "login name")
    .option("--user-id <id>", "id in a system of your own; blank: none")
    .addOption(role())
    .action((name: string, update: Partial<Naming> & Pick<UserUpdate, "role">) => edit(name, update, "is changed"));
  user
    .command("disable")
    .description("keep a user out, without deleting anything")
    .argument("<user>", "login name or id")
    .action((name: string) => edit(name, { enabled: false }, "is disabled"));
  user
    .command("enable")
    .description("let a user in again")
    .argument("<user>", "login name or id")
    .action((name: string) => edit(name, { enabled: true }, "is enabled"));
  user
    .command("reset-password")
    .description("give a user a new password, shown only now, and end their sessions: the last way in for an admin too")
    .argument("<user>", "login name or id")
    .option("--json", "as JSON")
    .action(resetPassword);
  user
    .command("reset-second-factor")
    .description("remove the lost second factors of a user: the last way in for an admin too")
    .argument("<user>", "login name or id")
    .action(resetSecondFactor);
  user
    .command("sign-out")
    .description("end all sessions of a user, or of everybody")
    .argument("[user]", "login name or id")
    .option("--all", "of everybody, as after a restore of the database")
    .action(signOut);
  return user;
}

async function create({ json, ...input }: Naming & Printing & { readonly role: UserRole }): Promise<void> {
  const { id, password } = await asOperator((context) => createUser(context, input));
  if (json === true) printJson({ id, password });
  else print(`User ${id} (${input.username}, ${input.role}); password, shown only now:\n${password}`);
}

async function list({ json, ...criteria }: Printing & { readonly role?: UserRole }): Promise<void> {
  const records: Record<string, unknown>[] = [];
  await asOperator(async (context) => {
    const given = { ...criteria, role: criteria.role?.toUpperCase() };
    for (let page = 1, total = 1; records.length < total; page++) {
      const { users: found } = listed.parse(await ask(context, LIST, { ...given, page }));
      records.push(...found.items);
      total = found.items.length === 0 ? records.length : found.meta.total;
    }
  });
  printRecords(records, json);
}

async function edit(name: string, update: UserUpdate, done: string): Promise<void> {
  await asOperator(async (context) => {
    const { id, username } = await namedUser(context, name);
    await updateAnyUser(context, id, update);
    print(`User ${id} (${username}) ${done}.`);
  });
}

/** The operator of the machine resets even the admin that the command acts as: they may have lost what it is changed with. */
async function resetPassword(name: string, { json }: Printing): Promise<void> {
  const { id, username, password } = await asOperator(async (context) => {
    const found = await namedUser(context, name);
    return { ...found, password: await resetAnyPassword(context, found.id) };
  });
  if (json === true) printJson({ id, username, password });
  else print(`User ${id} (${username}); password, shown only now:\n${password}`);
}

async function resetSecondFactor(name: string): Promise<void> {
  await asOperator(async (context) => {
    const { id, username } = await namedUser(context, name);
    const had = await resetAnySecondFactor(context, id);
    print(`User ${id} (${username}) ${had ? "has no second factor any more" : "had no second factor"}.`);
  });
}

async function signOut(name: string | undefined, { all }: { readonly all?: boolean }): Promise<void> {
  if ((name === undefined) !== (all === true)) throw new RefusedInput("user: give one, or --all");
  await asOperator(async (context) => {
    if (name === undefined) {
      print(`Everybody is signed out; sessions ended: ${await endEveryonesSessions(context)}.`);
      return;
    }
    const { id, username } = await namedUser(context, name);
    print(`User ${id} (${username}) is signed out; sessions ended: ${await endSessions(context, id)}.`);
  });
}
