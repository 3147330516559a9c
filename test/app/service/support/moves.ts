// Two simulated hosts with an agent each, and three guests to move from one to the other: one for each mode.
import assert from "node:assert/strict";
import { startAgent, type RunningAgent } from "../../../../agent/run.js";
import type { RunningHost } from "../../../../simulator/host.js";
import { placeGuest } from "../../../../simulator/scenarios/placeGuest.js";
import { control } from "../../../inventory/support/control.js";
import { SECRET } from "../../../inventory/support/site.js";
import type { TestDatabase } from "../../../support/database.js";
import { startTestHost } from "../../../support/platform.js";
import type { ApiClient } from "./client.js";
import { addHost } from "./creation.js";
import { until } from "../../../support/until.js";

/** Copying takes minutes at this pace: whoever is to die, dies in the middle of it. */
const SLOW = { timeFactor: 5, bytesPerSecond: 100_000 };
const FAST = { timeFactor: 500, bytesPerSecond: 1e9 };

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** One guest for each mode, by VMID. */
export const GUESTS = [
  { vmid: 101, type: "qemu", status: "running", mode: "live" },
  { vmid: 102, type: "qemu", status: "stopped", mode: "offline" },
  { vmid: 103, type: "lxc", status: "running", mode: "restart" },
] as const;

export interface MovingSite {
  readonly source: RunningHost;
  readonly target: RunningHost;
  readonly sourceId: number;
  readonly targetId: number;
  close(): Promise<void>;
}

export const startHosts = (): Promise<[RunningHost, RunningHost]> =>
  Promise.all([startMovingHost("pvea"), startMovingHost("pveb")]);

const startMovingHost = (name: string): Promise<RunningHost> =>
  startTestHost({ name, tokens: [{ id: "root@pam!panel", secret: SECRET }] });

/** Connects both hosts, gives each an IP zone and an agent, and places the guests with addresses and a port forward each. */
export async function furnish(
  api: ApiClient,
  url: string,
  [source, target]: readonly [RunningHost, RunningHost],
): Promise<MovingSite> {
  const sourceId = await addHost(api, source);
  const targetId = await addHost(api, target);
  await makeZone(api, sourceId, "192.0.2");
  await makeZone(api, targetId, "198.51.100");
  const agents = await Promise.all([
    agentOf(api, url, { host: source, hostId: sourceId, publicAddress: "203.0.113.1" }),
    agentOf(api, url, { host: target, hostId: targetId, publicAddress: "203.0.113.2" }),
  ]);
  for (const guest of GUESTS) placeGuest(source.platform, planOf(guest));
  await sync(api, sourceId);
  return {
    source,
    target,
    sourceId,
    targetId,
    async close() {
      await Promise.all(agents.map((agent) => agent.stop()));
    },
  };
}

const makeZone = (api: ApiClient, hostId: number, network: string): Promise<unknown> =>
  api.graphql("mutation ($input: IpZoneInput!) { createIpZone(input: $input) { id } }", {
    input: { hostId, name: "public", cidr: `${network}.0/24`, gateway: `${network}.1`, bridge: "vmbr0" },
  });

async function agentOf(
  api: ApiClient,
  url: string,
  { host, hostId, publicAddress }: { host: RunningHost; hostId: number; publicAddress: string },
): Promise<RunningAgent> {
  const { createAgentToken: made } = await api.graphql<{ createAgentToken: { value: string } }>(
    "mutation ($hostId: Int!, $node: String!) { createAgentToken(hostId: $hostId, node: $node) { value } }",
    { hostId, node: host.name },
  );
  const at = { platform: "control", control: host.control, node: host.name, publicAddress } as const;
  return startAgent({ url, token: made.value, ...at }, { log: quiet });
}

interface SomeGuest {
  readonly vmid: number;
  readonly type: "qemu" | "lxc";
  readonly status: "running" | "stopped";
}

const planOf = ({ vmid, type, status }: SomeGuest): Parameters<typeof placeGuest>[1] => {
  const address = `ip=192.0.2.${vmid % 200}/24,gw=192.0.2.1`;
  const net0 = `name=eth0,bridge=vmbr0,${address},type=veth`;
  return {
    type,
    vmid,
    status,
    node: "pvea",
    name: `guest${vmid}`,
    memory: 64,
    cores: 1,
    diskGb: 0.0625,
    config: { onboot: 1, ...(type === "qemu" ? { ipconfig0: address } : { net0 }) },
    snapshots: [],
  };
};

/** Forwards a port to each guest and starts its move, at a pace at which it does not end by itself. @returns ids of the migrations */
export async function startMoves(api: ApiClient, site: MovingSite): Promise<number[]> {
  await slowDown(site);
  const ids: number[] = [];
  for (const { vmid, type, mode } of GUESTS) {
    const guestId = await guestIdOf(api, site, { vmid, type });
    await forwardPort(api, guestId);
    const { startMigration: started } = await api.graphql<{ startMigration: { id: number; mode: string } }>(
      "mutation ($input: MigrationInput!) { startMigration(input: $input) { id mode } }",
      { input: { guestId, targetHostId: site.targetId, targetNode: "pveb" } },
    );
    assert.equal(started.mode.toLowerCase(), mode);
    ids.push(started.id);
  }
  return ids;
}

/** Id of a guest on the source. */
export async function guestIdOf(
  api: ApiClient,
  { sourceId: hostId }: MovingSite,
  { vmid, type }: Pick<SomeGuest, "vmid" | "type">,
): Promise<number> {
  const { guest } = await api.graphql<{ guest: { id: number } }>(
    "query ($hostId: Int!, $vmid: Int!, $type: GuestType!) { guest(hostId: $hostId, type: $type, vmid: $vmid) { id } }",
    { hostId, vmid, type: type.toUpperCase() },
  );
  return guest.id;
}

/** Places further machines, running, on the source. */
export async function placeMore(
  api: ApiClient,
  { source, sourceId }: MovingSite,
  vmids: readonly number[],
): Promise<void> {
  for (const vmid of vmids) placeGuest(source.platform, planOf({ vmid, type: "qemu", status: "running" }));
  await sync(api, sourceId);
}

const sync = (api: ApiClient, id: number): Promise<unknown> =>
  api.graphql("mutation ($id: Int!) { syncHost(id: $id) { id } }", { id });

const forwardPort = (api: ApiClient, guestId: number): Promise<unknown> =>
  api.graphql(
    'mutation ($guestId: Int!) { createPortForward(guestId: $guestId, protocol: "tcp", guestPort: 22) { id } }',
    { guestId },
  );

const setPace = async ({ source, target }: MovingSite, pace: typeof SLOW): Promise<void> => {
  for (const host of [source, target]) await control(host.control).post("/speed", pace);
};

/** From now on transfers take longer than anybody waits. */
export const slowDown = (site: MovingSite): Promise<void> => setPace(site, SLOW);

/** Lets the transfers come to their ends. */
export const letThemEnd = (site: MovingSite): Promise<void> => setPace(site, FAST);

/** Waits until the platform copies all guests and a worker has told of it. */
export async function untilCopying(database: TestDatabase): Promise<void> {
  await untilAll(
    "all guests are being copied",
    database,
    "select count(*)::int as n from migration where bytes_copied > 0 and not transfer_done",
  );
}

/** Waits until a second claim was made for every move. */
export async function untilTakenOver(database: TestDatabase): Promise<void> {
  await untilAll(
    "all moves are taken over",
    database,
    "select count(*)::int as n from job where kind = 'migration' and lease_epoch > 1",
  );
}

/** Waits until every move has ended, in whatever way. */
export async function untilSettled(database: TestDatabase): Promise<void> {
  await untilAll(
    "all moves have ended",
    database,
    "select count(*)::int as n from migration where finished_at is not null",
  );
}

const untilAll = (what: string, { pool }: TestDatabase, counting: string): Promise<unknown> =>
  until(what, async () => (await pool.query<{ n: number }>(counting)).rows[0]?.n === GUESTS.length);

/** What the simulated host itself says: its guests, the transfers that it was ever asked for, tokens and forwards. */
interface Truth {
  readonly guests: readonly { vmid: number; status: string; lock: string | null; tags: string[]; onboot: boolean }[];
  readonly tasks: readonly { type: string; id: string; exitstatus: string | null }[];
  readonly tokens: readonly { tokenid: string }[];
  readonly forwards: readonly { node: string; publicPort: number; guestAddress: string }[];
}

async function truthOf(host: RunningHost): Promise<Truth> {
  const answer = await fetch(`${host.control}/state`);
  const truth: Truth = JSON.parse(await answer.text());
  return truth;
}

/** Each guest was copied once and runs once; nothing is held, owned twice or left behind. */
export async function assertMovedOnce(database: TestDatabase, { source, target, targetId }: MovingSite): Promise<void> {
  const [left, moved] = await Promise.all([truthOf(source), truthOf(target)]);
  for (const { vmid, status } of GUESTS) {
    const transfers = left.tasks.filter(({ type, id }) => /^(?:qm|vzm)igrate$/.test(type) && id === String(vmid));
    assert.equal(transfers.length, 1, `guest ${vmid} is copied once`);
    const [there, copy] = [moved, left].map(({ guests }) => guests.find((guest) => guest.vmid === vmid));
    assert.deepEqual([there?.status, there?.lock ?? null], [status, null], `guest ${vmid} is on the target`);
    assert.deepEqual([copy?.status, copy?.lock ?? null], ["stopped", null], `the original of ${vmid} is stopped`);
    assert.ok(copy?.tags.includes("drover-migrated"));
    assert.equal(Boolean(copy?.onboot), false);
  }
  const tokens = [...left.tokens, ...moved.tokens].map(({ tokenid }) => tokenid);
  assert.deepEqual(tokens, ["panel", "panel"]);
  assert.deepEqual(left.forwards, []);
  assert.equal(moved.forwards.length, GUESTS.length);
  await assertRecords(database, targetId);
}

const HELD = `
  select (select count(*)::int from resource_lock) as locks, (select count(*)::int from vmid_reservation) as vmids,
    (select count(*)::int from ip_address where job_id is not null) as "heldAddresses",
    (select count(*)::int from temporary_token where removed_at is null) as ledger,
    (select array_agg(status order by id) from migration) as status`;

const OWNED = `
  select g.vmid, array(select host(a.address) from ip_address a where a.guest_id = g.id) as addresses,
    array(select host(f.guest_address) from port_forward f join node n on n.id = f.node_id
      where f.guest_id = g.id and n.host_id = g.host_id) as forwarded
  from guest g where g.host_id = $1 and g.gone_at is null order by g.vmid`;

async function assertRecords({ pool }: TestDatabase, targetId: number): Promise<void> {
  const status = GUESTS.map(() => "done");
  const { rows: held } = await pool.query(HELD);
  assert.deepEqual(held, [{ locks: 0, vmids: 0, heldAddresses: 0, ledger: 0, status }]);
  const { rows: owned } = await pool.query<{ vmid: number; addresses: string[]; forwarded: string[] }>(OWNED, [
    targetId,
  ]);
  assert.deepEqual(
    owned.map(({ vmid }) => vmid),
    GUESTS.map(({ vmid }) => vmid),
  );
  for (const { addresses, forwarded } of owned) {
    assert.equal(addresses.length, 1);
    assert.match(addresses[0] ?? "", /^198\.51\.100\./);
    assert.deepEqual(forwarded, addresses);
  }
  assert.equal(new Set(owned.flatMap(({ addresses }) => addresses)).size, GUESTS.length);
  const { rows: others } = await pool.query(
    `select from ip_address where guest_id is null or host(address) like '192.0.2.%'`,
  );
  assert.equal(others.length, 0, "the addresses on the source are given back");
}
