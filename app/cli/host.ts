// `drover host`: connects hosts, lists them, and tries their connection.
import { Command } from "commander";
import { z } from "zod";
import { addHost, testConnection } from "../../src/actions/host/host.js";
import { hostSecretUnreadable, readHostRecord } from "../../src/actions/host/hostConnection.js";
import type { Context } from "../../src/context/context.js";
import { notFound } from "../../src/errors/errors.js";
import { ask, asOperator } from "./operator.js";
import { print, printRecords, type Cells } from "./print.js";
import { secretOf, wholeNumber } from "./values.js";

const DEFAULT_PORT = 8006;
const LIST = `query ($page: Int!) {
  hosts(page: $page, perPage: 200) {
    items { id name hostname port user active maintenance kind version guestCount lastSyncAt lastSyncError }
    meta { total }
  }
}`;
const page = z.object({
  hosts: z.object({ items: z.array(z.record(z.string(), z.unknown())), meta: z.object({ total: z.number() }) }),
});

interface AddOptions {
  readonly name: string;
  readonly hostname: string;
  readonly port: number;
  readonly user: string;
  readonly tokenId?: string;
  readonly tokenSecret?: string;
  readonly password?: string;
  readonly tlsFingerprint?: string;
  readonly allowUnrestrictedMoveToken?: true;
}

export function hostCommand(): Command {
  const host = new Command("host").description("hosts: standalone nodes and clusters of Proxmox VE");
  host
    .command("add")
    .description("connect a host; it must answer, and is synced at once")
    .requiredOption("--name <name>", "display name")
    .requiredOption("--hostname <address>", "address of the host")
    .option("--port <port>", "port of its API", wholeNumber(1), DEFAULT_PORT)
    .requiredOption("--user <user@realm>", "login user, such as root@pam")
    .option("--token-id <id>", "id of an API token of that user")
    .option("--token-secret <secret>", "its secret; - reads it from standard input")
    .option("--password <password>", "the user's password instead of a token; - reads it from standard input")
    .option("--tls-fingerprint <sha256>", "SHA-256 of its certificate, unless the system trusts it")
    .option(
      "--allow-unrestricted-move-token",
      "let moves to this host go by a token with all rights of the user where it cannot be limited",
    )
    .action((options: AddOptions) => asOperator((context) => add(context, options)));
  host
    .command("list")
    .description("list the connected hosts")
    .option("--json", "as JSON")
    .action((options: { json?: boolean }) =>
      asOperator(async (context) => printRecords(await allHosts(context), options.json)),
    );
  host
    .command("test")
    .description("try a host's stored connection")
    .argument("<id>", "id of the host", wholeNumber(1))
    .action((id: number) => asOperator((context) => test(context, id)));
  return host;
}

async function add(context: Context, options: AddOptions): Promise<void> {
  const tokenSecret = await secretOf(options.tokenSecret);
  const password = await secretOf(options.password);
  const id = await addHost(context, {
    ...options,
    tokenSecret: tokenSecret ?? null,
    password: password ?? null,
  });
  print(`Host ${id} (${options.name}) is connected.`);
}

async function allHosts(context: Context): Promise<Cells[]> {
  const hosts: Cells[] = [];
  for (let number = 1; ; number++) {
    const { items, meta } = page.parse(await ask(context, LIST, { page: number })).hosts;
    hosts.push(...items);
    if (items.length === 0 || hosts.length >= meta.total) return hosts;
  }
}

async function test(context: Context, id: number): Promise<void> {
  const record = await readHostRecord(context, id);
  if (record === null) throw notFound(`Host ${id}`);
  const { connection } = record;
  const { credential } = connection;
  if (credential === null) throw hostSecretUnreadable(record.name);
  const { version } = await testConnection(context, { ...connection, credential });
  print(`Host ${id} at ${connection.hostname}:${connection.port} answers: Proxmox VE ${version.version}.`);
}
