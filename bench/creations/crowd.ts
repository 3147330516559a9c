// Many creations at once over REST v1: the hosts they crowd onto, the requests, and what must hold of what was reserved.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { z } from "zod";
import { newAccessToken } from "../../src/access/accessToken.js";

const GUEST_MB = 1024;
const TEMPLATE = "local:vztmpl/debian-12.tar.zst";
const HOSTS = 2;
const NODES_A_HOST = 2;

/** Where the crowd goes. */
interface Place {
  /** Guests that fit on each of the four nodes. */
  readonly guestsANode: number;
}

/** Guests that fit on the host that most of the crowd names. */
export const roomOnHost = ({ guestsANode }: Place): number => NODES_A_HOST * guestsANode;

/** Makes a token for the crowd. @returns its value */
export async function storeCrowdToken(pool: Pool): Promise<string> {
  const { value, hash, prefix } = newAccessToken("apiToken");
  await pool.query(`insert into api_token (name, prefix, token_hash) values ('crowd', $1, $2)`, [prefix, hash]);
  return value;
}

/** Two hosts with two nodes each, empty, and an IP zone of a /16; whatever was there is gone. */
export async function furnish(pool: Pool, { guestsANode }: Place): Promise<void> {
  await pool.query(`
    truncate host, job, ip_address_holding restart identity cascade;
    insert into host (name, hostname, user_name, secret_encrypted, last_sync_at)
      select 'host' || h, 'host' || h || '.example', 'root@pam', 'sealed', now() from generate_series(1, ${HOSTS}) h;
    insert into node (host_id, name, status, cpu_cores, memory_mb, cpu_average_30m, sampled_at)
      select h, 'pve' || n, 'online', 16, ${guestsANode * GUEST_MB}, 0.1, now()
      from generate_series(1, ${HOSTS}) h, generate_series(1, ${NODES_A_HOST}) n;
    insert into agent (node_id, token_hash, version, healthy, last_seen_at) select id, 'hash' || id, '1.0.0', true, now() from node;
    insert into storage (node_id, name, type, content, active, total_bytes, free_bytes)
      select id, 'local', 'dir', '{rootdir,vztmpl}', true, 1e13, 1e13 from node;
    insert into node_file (node_id, storage, volid, content, size_bytes) select id, 'local', '${TEMPLATE}', 'vztmpl', 1 from node;
    insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
      select id, 'public', '10.0.0.0/16', '10.0.0.2', '10.0.255.254', 'vmbr0', 65533, '10.0.0.2' from host;`);
}

/** Who asks, and whom. */
interface Crowd {
  /** Base URLs of the processes, which are asked in turns. */
  readonly urls: readonly string[];
  readonly token: string;
  readonly count: number;
}

/** What the crowd was answered. */
interface Answers {
  /** Creations that were queued. */
  readonly queued: readonly { readonly vmid: number }[];
  /** Messages of the refusals with 409. */
  readonly refused: readonly string[];
}

const queued = z.object({ data: z.object({ vmid: z.number() }) });
const failure = z.object({ error: z.string() });

/** Sends all creations at once. @throws Error on any answer but 202 and 409 */
export async function createAtOnce({ urls, token, count }: Crowd): Promise<Answers> {
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const response = await fetch(`${urls[index % urls.length]}/api/v1/hosts/1/guests`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify(request(index)),
      });
      return { status: response.status, body: await response.json() };
    }),
  );
  const strange = answers.find(({ status }) => status !== 202 && status !== 409);
  assert.equal(strange, undefined, `an answer that is neither 202 nor 409: ${JSON.stringify(strange)}`);
  return {
    queued: answers.filter(({ status }) => status === 202).map(({ body }) => queued.parse(body).data),
    refused: answers.filter(({ status }) => status === 409).map(({ body }) => failure.parse(body).error),
  };
}

const request = (index: number): object => ({
  type: "lxc",
  node: "auto",
  name: `box${index}`,
  cores: 1,
  memory_mb: GUEST_MB,
  disk_gb: 1,
  os_template: TEMPLATE,
  password: "correct horse",
  ip_source: "zone:1",
});

/** As many as fit were queued, each with a VMID and an address of its own; no node has more than fits; the rest is told so. */
export async function assertPromises(pool: Pool, place: Place, { count }: Crowd, answers: Answers): Promise<void> {
  const made = Math.min(count, roomOnHost(place));
  assert.equal(answers.queued.length, made, `${made} creations are queued`);
  assert.equal(new Set(answers.queued.map(({ vmid }) => vmid)).size, made, "no VMID is told twice");
  assert.equal(answers.refused.length, count - made, "the rest is refused");
  for (const message of answers.refused) assert.match(message, /free/, "a refusal says what is left");
  const { rows } = await pool.query(`
    select (select count(*)::int from job) as jobs, (select count(distinct (host_id, vmid))::int from job) as vmids,
      (select count(*)::int from vmid_reservation) as "reservedVmids",
      (select count(distinct (zone_id, address))::int from ip_address) as addresses,
      (select used::int from ip_zone where id = 1) as "countedAddresses",
      (select bool_and(reserved <= ${place.guestsANode * GUEST_MB}) from
        (select sum(memory_mb) as reserved from capacity_reservation group by node_id) node) as fits`);
  assert.deepEqual(rows, [
    { jobs: made, vmids: made, reservedVmids: made, addresses: made, countedAddresses: made, fits: true },
  ]);
}
