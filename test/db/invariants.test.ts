// What the database itself refuses, whoever writes.
import assert from "node:assert/strict";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

const UNIQUE = "23505";
const FOREIGN = "23503";
const CHECK = "23514";
const NOT_NULL = "23502";

/** Two hosts with a node each, a plan, a user, a zone, a guest and a job: all with id 1 (second host and node: 2). */
const WORLD = `
  insert into host (name, hostname, user_name, secret_encrypted) values ('a', '10.0.0.1', 'root@pam', 'x'), ('b', '10.0.0.2', 'root@pam', 'x');
  insert into node (host_id, name) values (1, 'pve1'), (2, 'pve2');
  insert into plan (name, cores, memory_mb, disk_gb) values ('small', 1, 1024, 10);
  insert into user_account (email, username, password_hash) values ('Eve@example.com', 'eve', 'h');
  insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
    values (1, 'lan', '10.1.0.0/24', '10.1.0.10', '10.1.0.20', 'vmbr0', 11, '10.1.0.10');
  insert into guest (host_id, node_id, type, vmid, name) values (1, 1, 'qemu', 100, 'web');
  insert into job (kind, host_id) values ('guest_create', 1);
  insert into job_step (job_id, name, position, status) values (1, 'create', 0, 'done');
  insert into ip_address (zone_id, address) values (1, '10.1.0.10');
  insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address) values (1, 1, 'tcp', 8080, 80, '10.1.0.10');
  insert into resource_lock (key, job_id) values ('guest:1:100', 1);
  insert into vmid_reservation (host_id, vmid, job_id) values (1, 101, 1);
  insert into api_token (name, prefix, token_hash) values ('t', 'drv_', 'hash')`;

const guest = (values: string): string => `insert into guest (host_id, node_id, type, vmid) values (${values})`;
const zone = (values: string): string =>
  `insert into ip_zone (host_id, name, cidr, range_start, range_end, gateway, bridge, total, next_candidate) values (${values})`;

const refused: readonly (readonly [what: string, sql: string, code: string])[] = [
  ["the same VMID twice on a host", guest("1, 1, 'lxc', 100"), UNIQUE],
  ["VMID 99", guest("1, 1, 'qemu', 99"), CHECK],
  ["VMID 1000000000", guest("1, 1, 'qemu', 1000000000"), CHECK],
  ["a guest on another host's node", guest("1, 2, 'qemu', 200"), FOREIGN],
  ["a guest of an unknown type", guest("1, 1, 'openvz', 200"), CHECK],
  ["a deletion date of what is no safety copy", "update guest set safety_copy_delete_at = now()", CHECK],
  ["a second host of the same name", "update host set name = 'a'", UNIQUE],
  ["two hosts at one address", "update host set hostname = '10.0.0.9'", UNIQUE],
  ["port 0", "update host set port = 0", CHECK],
  ["maintenance without its begin", "update host set maintenance = true", CHECK],
  ["an undo of an unknown status", "update job_step set undo_status = 'warned', undo_started_at = now()", CHECK],
  ["an undo without its begin", "update job_step set undo_status = 'running'", CHECK],
  ["an undo that is done without its end", "update job_step set undo_status = 'done', undo_started_at = now()", CHECK],
  [
    "an undo that runs and has ended",
    "update job_step set undo_status = 'running', undo_started_at = now(), undo_finished_at = now()",
    CHECK,
  ],
  [
    "an undo that left something without a word of it",
    "update job_step set undo_status = 'failed', undo_started_at = now(), undo_finished_at = now()",
    CHECK,
  ],
  ["remains of a step that was not undone", "update job_step set undo_error = 'volume 7'", CHECK],
  ["two nodes of one name on a host", "insert into node (host_id, name) values (1, 'pve1')", UNIQUE],
  ["a node without a host", "insert into node (host_id, name) values (9, 'x')", FOREIGN],
  ["a plan without cores", "update plan set cores = 0", CHECK],
  ["an address twice in a zone", "insert into ip_address (zone_id, address) values (1, '10.1.0.10')", UNIQUE],
  [
    "a zone whose range lies outside",
    zone("1, 'z', '10.2.0.0/24', '10.3.0.1', '10.3.0.9', null, 'b', 9, '10.3.0.1'"),
    CHECK,
  ],
  [
    "a zone whose range ends before it begins",
    zone("1, 'z', '10.2.0.0/24', '10.2.0.9', '10.2.0.1', null, 'b', 9, '10.2.0.9'"),
    CHECK,
  ],
  [
    "a gateway of another family",
    zone("1, 'z', '10.2.0.0/24', '10.2.0.1', '10.2.0.9', 'fe80::1', 'b', 9, '10.2.0.1'"),
    CHECK,
  ],
  [
    "two zones of one name on a host",
    zone("1, 'lan', '10.2.0.0/24', '10.2.0.1', '10.2.0.9', null, 'b', 9, '10.2.0.1'"),
    UNIQUE,
  ],
  [
    "a public port twice",
    "insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address) values (1, 1, 'tcp', 8080, 81, '10.1.0.11')",
    UNIQUE,
  ],
  ["a forward of port 65536", "update port_forward set public_port = 65536", CHECK],
  ["two locks on one guest", "insert into resource_lock (key, job_id) values ('guest:1:100', 1)", UNIQUE],
  ["a lock without a job", "insert into resource_lock (key, job_id) values ('guest:1:101', 9)", FOREIGN],
  ["a VMID reserved twice", "insert into vmid_reservation (host_id, vmid, job_id) values (1, 101, 1)", UNIQUE],
  ["a refusal of VMID 99", "insert into vmid_refusal (host_id, vmid, until) values (1, 99, now())", CHECK],
  ["a VMID refused by no host", "insert into vmid_refusal (host_id, vmid, until) values (9, 101, now())", FOREIGN],
  ["a refused token without words", "insert into token_refusal values (1, 1, '', now())", CHECK],
  ["a refused token without its moment", "insert into token_refusal values (1, 1, 'no', null)", CHECK],
  ["a refused token with 301 characters", "insert into token_refusal values (1, 1, repeat('x', 301), now())", CHECK],
  ["a token refused by no host", "insert into token_refusal values (9, 1, 'no', now())", FOREIGN],
  ["a turn to clone for no job", "insert into clone_turn (job_id, host_id, vmid) values (9, 1, 100)", FOREIGN],
  ["a turn to clone VMID 99", "insert into clone_turn (job_id, host_id, vmid) values (1, 1, 99)", CHECK],
  ["a job of an unknown kind", "insert into job (kind) values ('dance')", CHECK],
  ["a failed job without a reason", "update job set status = 'failed', finished_at = now()", CHECK],
  ["a reason on a job that runs", "update job set status = 'running', error = 'x'", CHECK],
  ["a finished job without its end", "update job set status = 'done'", CHECK],
  ["secrets on a finished job", "update job set status = 'done', finished_at = now(), secrets_encrypted = 's'", CHECK],
  ["progress above 1", "update job set progress = 1.1", CHECK],
  [
    "capacity below nothing",
    "insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes) values (1, 1, 's', -1, 0)",
    CHECK,
  ],
  [
    "an e-mail address twice, in other letters",
    "insert into user_account (email, username, password_hash) values ('EVE@example.com', 'x', 'h')",
    UNIQUE,
  ],
  [
    "a username twice, in other letters",
    "insert into user_account (email, username, password_hash) values ('x@example.com', 'EVE', 'h')",
    UNIQUE,
  ],
  ["an unknown role", "update user_account set role = 'root'", CHECK],
  ["a token without a name", "update api_token set name = ''", CHECK],
  ["a negative rate limit", "update api_token set rate_limit = -1", CHECK],
  ["a token hash twice", "insert into api_token (name, prefix, token_hash) values ('u', 'p', 'hash')", UNIQUE],
  ["a second row of settings", "insert into setting default values", UNIQUE],
  ["weights that are all zero", "update setting set ram_weight = 0, cpu_weight = 0, storage_weight = 0", CHECK],
  ["a negative weight", "update setting set cpu_weight = -0.1", CHECK],
  ["a wait for locks of more than an hour", "update setting set lock_wait_seconds = 3601", CHECK],
  ["no clone of a template at all", "update setting set clones_per_template = 0", CHECK],
  ["a threshold above 100", "update setting set ram_threshold_percent = 100.1", CHECK],
  [
    "a host without an address",
    "insert into host (name, user_name, secret_encrypted) values ('c', 'r', 'x')",
    NOT_NULL,
  ],
];

const allowed: readonly (readonly [what: string, sql: string])[] = [
  ["a VMID again once its guest is gone", `update guest set gone_at = now(); ${guest("1, 1, 'qemu', 100")}`],
  ["the same VMID on another host", guest("2, 2, 'qemu', 100")],
  ["VMIDs 100 and 999999999", `${guest("2, 2, 'qemu', 100")}; ${guest("2, 2, 'qemu', 999999999")}`],
  [
    "a public port on another protocol",
    "insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address) values (1, 1, 'udp', 8080, 80, '10.1.0.10')",
  ],
  ["no request limit at all", "update api_token set rate_limit = 0"],
  ["one weight alone", "update setting set ram_weight = 1, cpu_weight = 0, storage_weight = 0"],
];

describe("the database", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    await database.pool.query(WORLD);
  });
  after(() => database.close());

  const tried = async (sql: string): Promise<string | undefined> => {
    const client = await database.pool.connect();
    try {
      await client.query("begin");
      await client.query(sql);
      return undefined;
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : String(error);
    } finally {
      await client.query("rollback");
      client.release();
    }
  };

  for (const [what, sql, code] of refused) {
    it(`refuses ${what}`, async () => assert.equal(await tried(sql), code));
  }

  for (const [what, sql] of allowed) {
    it(`allows ${what}`, async () => assert.equal(await tried(sql), undefined));
  }

  it("forgets the owner, not the guests, when a user goes", async () => {
    await database.pool.query("update guest set owner_id = 1");
    await database.pool.query("delete from user_account");
    const { rows } = await database.pool.query("select owner_id from guest");
    assert.deepEqual(rows, [{ owner_id: null }]);
  });

  it("counts the addresses of a zone that are taken", async () => {
    const used = async (): Promise<unknown> => (await database.pool.query("select used from ip_zone")).rows[0];
    assert.deepEqual(await used(), { used: 1 });
    await database.pool.query("delete from ip_address");
    assert.deepEqual(await used(), { used: 0 });
  });

  it("gives whole numbers for bigint, and refuses what a number cannot hold", async () => {
    assert.deepEqual((await database.pool.query("select 9007199254740991::bigint as n, count(*) from host")).rows, [
      { n: Number.MAX_SAFE_INTEGER, count: 2 },
    ]);
    await assert.rejects(database.pool.query("select 9007199254740992::bigint"), RangeError);
  });
});
