// Fills a fresh service with what a small provider would have: hosts, plans, zones, templates, customers, tokens.
import { z } from "zod";
import type { DemoFiles, Description, PlatformSecrets } from "./files.js";
import type { Ask } from "./graphqlClient.js";

const PLANS = [
  { name: "Nano", cores: 1, memoryMb: 512, diskGb: 10, trafficGb: 500, runtimeDays: 30 },
  { name: "Small", cores: 2, memoryMb: 2048, diskGb: 25, trafficGb: 2000, runtimeDays: 30 },
  { name: "Medium", cores: 4, memoryMb: 8192, diskGb: 80, trafficGb: 5000, runtimeDays: 30 },
  { name: "Large", cores: 8, memoryMb: 16384, diskGb: 160, trafficGb: null, runtimeDays: null },
];

const CUSTOMERS = [
  { email: "anna@orchard.example", username: "anna", userId: "C-1001" },
  { email: "ops@harbour-books.example", username: "harbour", userId: "C-1002" },
  { email: "jo@tinkers.example", username: "jo", userId: "C-1003" },
];

const CONTAINER_TEMPLATE = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst";

const id = z.object({ id: z.number() });
const nodeOfHost = z.object({
  name: z.string(),
  networks: z.array(z.object({ name: z.string(), cidr: z.string().nullable() })),
});
const templateGuest = z.object({ vmid: z.number(), name: z.string(), node: z.string(), template: z.boolean() });

/** Whether everything has been made: the tokens of the agents are written down last. */
export const isFurnished = ({ agents, apiToken }: Description): boolean => agents.length > 0 && apiToken !== "";

/** Brings the service to the demo's state; what is there already is left as it is, what is missing is made, whenever it ended. */
export async function furnish(ask: Ask, files: DemoFiles): Promise<Description> {
  const secrets = await files.platformSecrets();
  const before = await files.describe();
  const hosts = [];
  for (const host of before.hosts) hosts.push({ ...host, id: await connect(ask, host, secrets) });
  const described = await files.change({ hosts });
  if (isFurnished(described)) return described;
  for (const host of hosts) await syncFirst(ask, host.id);
  await makeCatalogue(ask, hosts);
  await makeCustomers(ask, hosts);
  const [first] = hosts;
  const scopedHostIds = first === undefined ? [] : [first.id];
  const agents = [];
  for (const host of hosts) agents.push(...(await agentTokens(ask, host.id)));
  return files.change({
    agents,
    scopedHostIds,
    apiToken: await makeToken(ask, { name: "Billing", permissions: ["hosts.manage"] }),
    scopedToken: await makeToken(ask, { name: "Billing, first host only", connectionScope: scopedHostIds }),
  });
}

/** What a document lists under the alias `list`. */
async function listed<Item>(ask: Ask, document: string, variables: Record<string, unknown>, item: z.ZodType<Item>) {
  const { list } = await ask(document, variables, z.object({ list: z.object({ items: z.array(item) }) }));
  return list.items;
}

type DescribedHost = Description["hosts"][number];

async function connect(ask: Ask, host: DescribedHost, { tokenId, tokenSecret }: PlatformSecrets): Promise<number> {
  const named = z.object({ id: z.number(), name: z.string() });
  const hosts = await listed(ask, `{ list: hosts(perPage: 200) { items { id name } } }`, {}, named);
  const known = hosts.find(({ name }) => name === host.name);
  if (known !== undefined) return known.id;
  const { hostname, port } = new URL(host.url);
  const { addHost } = await ask(
    `mutation ($name: String!, $hostname: String!, $port: Int!, $tokenId: String!, $tokenSecret: String!, $fingerprint: String!) {
      addHost(name: $name, hostname: $hostname, port: $port, user: "root@pam", tokenId: $tokenId, tokenSecret: $tokenSecret,
        tlsFingerprint: $fingerprint) { id }
    }`,
    { name: host.name, hostname, port: Number(port), tokenId, tokenSecret, fingerprint: host.fingerprint },
    z.object({ addHost: id }),
  );
  return addHost.id;
}

/** The sync with which a host is added may have failed: nothing could be made of what is unknown. */
async function syncFirst(ask: Ask, hostId: number): Promise<void> {
  const { host } = await ask(
    `query ($id: Int!) { host(id: $id) { lastSyncAt lastSyncError } }`,
    { id: hostId },
    z.object({ host: z.object({ lastSyncAt: z.string().nullable(), lastSyncError: z.string().nullable() }) }),
  );
  if (host.lastSyncAt === null || host.lastSyncError !== null) await sync(ask, hostId);
}

const sync = (ask: Ask, hostId: number): Promise<unknown> =>
  ask(`mutation ($id: Int!) { syncHost(id: $id) { id } }`, { id: hostId }, z.unknown());

type ConnectedHost = DescribedHost & { readonly id: number };

async function makeCatalogue(ask: Ask, hosts: readonly ConnectedHost[]): Promise<void> {
  const plans = await listed(
    ask,
    `{ list: plans(perPage: 200) { items { name } } }`,
    {},
    z.object({ name: z.string() }),
  );
  for (const input of PLANS.filter(({ name }) => plans.every((plan) => plan.name !== name))) {
    await ask(`mutation ($input: PlanInput!) { createPlan(input: $input) { id } }`, { input }, z.unknown());
  }
  for (const host of hosts) {
    await registerContainerTemplate(ask, host);
    await makeZone(ask, host);
    await registerTemplates(ask, host);
  }
}

/** All hosts have the file: registered once, it is there for each. */
async function registerContainerTemplate(ask: Ask, host: ConnectedHost): Promise<void> {
  const templates = await listed(
    ask,
    `query ($hostId: Int!) { list: ctTemplates(hostId: $hostId, perPage: 200) { items { volid } } }`,
    { hostId: host.id },
    z.object({ volid: z.string() }),
  );
  if (templates.some(({ volid }) => volid === CONTAINER_TEMPLATE)) return;
  await ask(
    `mutation ($volid: String!) { registerCtTemplate(name: "Debian 12", volid: $volid) { id } }`,
    { volid: CONTAINER_TEMPLATE },
    z.unknown(),
  );
}

/** The network of the first node's bridge becomes the host's zone; what guests already use is adopted by the next sync. */
async function makeZone(ask: Ask, host: ConnectedHost): Promise<void> {
  const zones = await listed(
    ask,
    `query ($hostId: Int!) { list: ipZones(hostId: $hostId) { items { id } } }`,
    { hostId: host.id },
    id,
  );
  if (zones.length > 0) return;
  const [node] = await nodesOf(ask, host.id);
  const bridge = node?.networks.find(({ cidr }) => cidr !== null);
  const network = /^(\d+\.\d+\.\d+)\.\d+\/24$/.exec(bridge?.cidr ?? "")?.[1];
  if (bridge === undefined || network === undefined) throw new Error(`${host.name} has no bridge with a /24 network`);
  const input = {
    hostId: host.id,
    name: `${host.name} public`,
    cidr: `${network}.0/24`,
    gateway: `${network}.1`,
    bridge: bridge.name,
    nameservers: ["9.9.9.9", "149.112.112.112"],
    excluded: [`${network}.2-${network}.9`],
  };
  await ask(`mutation ($input: IpZoneInput!) { createIpZone(input: $input) { id } }`, { input }, z.unknown());
}

async function registerTemplates(ask: Ask, host: ConnectedHost): Promise<void> {
  const guests = await listed(
    ask,
    `query ($hostId: Int!) { list: guests(filter: { hostIds: [$hostId], type: QEMU, template: true }, perPage: 200) { items { vmid name node template } } }`,
    { hostId: host.id },
    templateGuest,
  );
  const known = await listed(
    ask,
    `query ($hostId: Int!) { list: osTemplates(hostId: $hostId, includeInactive: true, perPage: 200) { items { vmid } } }`,
    { hostId: host.id },
    z.object({ vmid: z.number() }),
  );
  for (const { vmid, name, node } of guests.filter((guest) =>
    known.every((template) => template.vmid !== guest.vmid),
  )) {
    await ask(
      `mutation ($hostId: Int!, $node: String!, $vmid: Int!, $name: String!) {
        registerOsTemplate(hostId: $hostId, node: $node, vmid: $vmid, name: $name) { id }
      }`,
      { hostId: host.id, node, vmid, name },
      z.unknown(),
    );
  }
  await sync(ask, host.id);
}

/** Each customer owns a few of the guests that are there. */
async function makeCustomers(ask: Ask, hosts: readonly ConnectedHost[]): Promise<void> {
  const known = await listed(
    ask,
    `{ list: users(role: CUSTOMER, perPage: 200) { items { id username } } }`,
    {},
    z.object({ id: z.number(), username: z.string() }),
  );
  for (const [index, customer] of CUSTOMERS.entries()) {
    const user = known.find(({ username }) => username === customer.username) ?? (await makeCustomer(ask, customer));
    const host = hosts[index % hosts.length];
    if (host !== undefined) await giveGuests(ask, host.id, user.id);
  }
}

async function makeCustomer(ask: Ask, customer: (typeof CUSTOMERS)[number]): Promise<z.output<typeof id>> {
  const { createUser } = await ask(
    `mutation ($email: String!, $username: String!, $userId: String) {
      createUser(email: $email, username: $username, userId: $userId) { user { id } }
    }`,
    customer,
    z.object({ createUser: z.object({ user: id }) }),
  );
  return createUser.user;
}

const guestsGiven = 2;

async function giveGuests(ask: Ask, hostId: number, userId: number): Promise<void> {
  const guests = await listed(
    ask,
    `query ($hostId: Int!) { list: guests(filter: { hostIds: [$hostId], template: false }, perPage: 200) { items { type vmid ownerId } } }`,
    { hostId },
    z.object({ type: z.string(), vmid: z.number(), ownerId: z.number().nullable() }),
  );
  const own = guests.filter(({ ownerId }) => ownerId === userId).length;
  const free = guests.filter(({ ownerId }) => ownerId === null).slice(0, Math.max(0, guestsGiven - own));
  for (const { type, vmid } of free) {
    await ask(
      `mutation ($userId: Int!, $hostId: Int!, $type: GuestType!, $vmid: Int!) {
        assignGuest(userId: $userId, hostId: $hostId, type: $type, vmid: $vmid) { id }
      }`,
      { userId, hostId, type, vmid },
      z.unknown(),
    );
  }
}

/** One of this name that was made before is known to nobody, or was made for other hosts. */
async function makeToken(ask: Ask, input: { readonly name: string } & Record<string, unknown>): Promise<string> {
  const token = z.object({ id: z.number(), name: z.string(), revokedAt: z.string().nullable() });
  const { apiTokens } = await ask(`{ apiTokens { id name revokedAt } }`, {}, z.object({ apiTokens: z.array(token) }));
  for (const { id: old } of apiTokens.filter(({ name, revokedAt }) => name === input.name && revokedAt === null)) {
    await ask(`mutation ($id: Int!) { revokeApiToken(id: $id) { id } }`, { id: old }, z.unknown());
  }
  const { createApiToken } = await ask(
    `mutation ($input: ApiTokenInput!) { createApiToken(input: $input) { value } }`,
    { input },
    z.object({ createApiToken: z.object({ value: z.string() }) }),
  );
  return createApiToken.value;
}

const nodesOf = (ask: Ask, hostId: number) =>
  listed(
    ask,
    `query ($hostId: Int!) { list: nodes(hostId: $hostId, perPage: 200) { items { name networks { name cidr } } } }`,
    { hostId },
    nodeOfHost,
  );

async function agentTokens(ask: Ask, hostId: number): Promise<Description["agents"]> {
  const tokens = [];
  for (const { name } of await nodesOf(ask, hostId)) {
    const { createAgentToken } = await ask(
      `mutation ($hostId: Int!, $node: String!) { createAgentToken(hostId: $hostId, node: $node) { value } }`,
      { hostId, node: name },
      z.object({ createAgentToken: z.object({ value: z.string() }) }),
    );
    tokens.push({ hostId, node: name, token: createAgentToken.value });
  }
  return tokens;
}
