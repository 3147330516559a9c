// Simulated Proxmox VE hosts for a benchmark, on record in its database: a large empty one, and a fleet with guests.
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { makeCertificates, startHost, type RunningHost } from "../../simulator/host.js";
import type { HostCertificates } from "../../simulator/transport/certificates.js";
import { HOST_SECRET } from "../../src/access/secretPurpose.js";
import { openBenchParts, type BenchParts } from "./parts.js";
import { serve } from "./serve.js";

/** As large as the table of `docs/performance.md` says. */
export const SIMULATED_HOST = { nodes: 20, guests: 1_000 };
const CHANGED_SHARE = 0.01;
/** A twentieth does not run. */
const STOPPED_EVERY = 20;
const FIRST_VMID = 1_000;
const TOKEN_ID = "root@pam!panel";
const TOKEN_SECRET = "11111111-2222-4333-8444-555555555555";
/** What a request to one of these hosts is authorised with. */
export const HOST_TOKEN = `${TOKEN_ID}=${TOKEN_SECRET}`;
const TIB = 1024 ** 4;
/** Tasks of the platform are to take no time. */
const TIME_FACTOR = 100_000;

/** One node with room for thousands of guests. @returns the host's URL */
export async function startRoomyHost(databaseUrl: string): Promise<string> {
  const name = "pve1";
  const host = await open(name, [name], await makeCertificates([name]));
  for (const node of host.platform.state.nodes.values()) Object.assign(node, { memoryBytes: 16 * TIB, cpus: 1_024 });
  for (const storage of host.platform.state.storages.values()) storage.totalBytes = 1_024 * TIB;
  await record(await openBenchParts(databaseUrl), host);
  return host.url;
}

/** @returns where to ask for `/add` (one more host), `/rename` (other 1 % of the guests) and `/work` (every running guest's load) */
export async function startSimulatedFleet(databaseUrl: string): Promise<string> {
  const nodes = Array.from({ length: SIMULATED_HOST.nodes }, (_, index) => `pve${index + 1}`);
  const parts = await openBenchParts(databaseUrl);
  // Making keys takes long: the hosts share them.
  const certificates = await makeCertificates(nodes);
  const hosts: RunningHost[] = [];
  let changes = 0;
  const orders: Readonly<Record<string, () => unknown>> = {
    "/add": async () => {
      const host = await open(`host${hosts.length + 1}`, nodes, certificates);
      fill(host, nodes);
      hosts.push(host);
      await record(parts, host);
    },
    "/rename": () => hosts.forEach((host) => rename(host, changes)),
    "/work": () => hosts.forEach((host) => work(host, changes)),
  };
  return serve(({ url = "" }, response) => {
    changes++;
    void Promise.resolve(orders[url]?.()).then(() => response.end());
  });
}

const open = (name: string, nodes: string[], certificates: HostCertificates): Promise<RunningHost> =>
  startHost({
    name,
    nodes,
    certificates,
    release: "9.2",
    tokens: [{ id: TOKEN_ID, secret: TOKEN_SECRET }],
    timeFactor: TIME_FACTOR,
  });

function fill({ platform }: RunningHost, nodes: readonly string[]): void {
  for (let index = 0; index < SIMULATED_HOST.guests; index++) {
    placeGuest(platform, {
      type: index % 4 === 0 ? "lxc" : "qemu",
      vmid: FIRST_VMID + index,
      node: nodes[index % nodes.length] ?? "",
      name: `guest-${index}.example.com`,
      status: index % STOPPED_EVERY === 0 ? "stopped" : "running",
      memory: 1_024,
      cores: 1,
      diskGb: 1,
      config: {},
      snapshots: [],
    });
  }
}

function rename({ platform }: RunningHost, changes: number): void {
  const every = 1 / CHANGED_SHARE;
  for (const guest of platform.state.guests.values()) {
    if (guest.vmid % every !== changes % every) continue;
    guest.config[guest.type === "lxc" ? "hostname" : "name"] = `renamed-${changes}.example.com`;
  }
}

/** Each is busier or less busy than before, by more than a sync overlooks. */
function work({ platform }: RunningHost, changes: number): void {
  for (const { vmid, runtime } of platform.state.guests.values()) {
    if (runtime !== null) runtime.cpu = 0.1 + 0.2 * ((vmid + changes) % 3);
  }
}

async function record({ services }: BenchParts, { name, port, fingerprint }: RunningHost): Promise<void> {
  await services.pool.query(
    `insert into host (name, hostname, port, user_name, token_id, secret_encrypted, tls_fingerprint)
     values ($1, '127.0.0.1', $2, 'root@pam', 'panel', $3, $4)`,
    [name, port, services.secrets.seal(TOKEN_SECRET, HOST_SECRET), fingerprint],
  );
}
