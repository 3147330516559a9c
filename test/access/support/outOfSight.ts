// Changes to the planted database that a caller must not notice: everything that is out of their sight becomes something else.
import type { Caller } from "./plantedWorld.js";

/** Conditions on the rows that are out of sight; left out: all rows are. */
interface Unseen {
  readonly host: string;
  readonly node: string;
  readonly guest: string;
  readonly person: string;
  readonly job: string;
  /** Statements beside those that all have in common. */
  readonly more?: string;
}

/** Of host 1 alone; plain tokens know customers and resellers. */
const BEYOND_HOST_1: Unseen = {
  host: "id in (2, 3)",
  node: "host_id in (2, 3)",
  guest: "host_id in (2, 3)",
  person: "role not in ('customer', 'reseller')",
  job: "host_id in (2, 3)",
  more: `update migration set error = 'changed', guest_name = 'changed' where id = 3`,
};

const UNSEEN: Readonly<Partial<Record<Caller, Unseen>>> = {
  scoped: BEYOND_HOST_1,
  scopedManager: { ...BEYOND_HOST_1, person: "false" },
  customerA: {
    host: "true",
    node: "true",
    guest: "owner_id is distinct from 5",
    person: "id <> 5",
    job: "guest_id is distinct from 1 and guest_id is distinct from 5",
    more: `update migration set error = 'changed', log = '{changed}' where status = 'failed'; delete from request_log`,
  },
  reseller1: {
    host: "id = 3",
    node: "host_id = 3",
    guest: "owner_id is distinct from 5",
    person: "id not in (3, 5)",
    job: "guest_id is distinct from 1 and guest_id is distinct from 5",
    more: `delete from os_template where node_id <> 1; delete from node_file where node_id <> 1;
      update network set name = 'other' || id where node_id <> 1; update storage set name = 'other' || id, free_bytes = 1 where node_id <> 1`,
  },
};

/** Those who do not see everything. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are callers
export const narrowCallers = Object.keys(UNSEEN) as Caller[];

/** @returns the statements that change what this caller does not see */
export function changesOutOfSight(caller: Caller): string {
  const unseen = UNSEEN[caller];
  if (unseen === undefined) throw new Error(`Nothing is out of the sight of ${caller}`);
  const { host, node, guest, person, job, more = "" } = unseen;
  return `
    insert into guest (host_id, node_id, type, vmid, name, status, owner_id)
      select 3, 5, 'qemu', 500 + n, 'new' || n, 'running', 6 from generate_series(1, 30) n;
    update guest set name = 'other' || id, status = 'stopped', tags = '{other}', cores = 9, memory_mb = 9999, plan_id = null,
      lock = 'other', ip_addresses = '{10.88.1.1}' where ${guest};
    delete from port_forward f using guest where guest.id = f.guest_id and ${guest.replaceAll(/\b(?=host_id|owner_id)/g, "guest.")};
    update job set error = 'other' || id where status = 'failed' and ${job};
    insert into job (kind, status, error, host_id, node, vmid, guest_id, finished_at)
      values ('guest_create', 'failed', 'new', 3, 'plantnode3', 700, 10, now());
    update user_account set username = 'other' || id, email = 'other' || id || '@x.example', external_id = 'other' || id where ${person};
    delete from session s using user_account u where u.id = s.user_id and ${person.replaceAll(/\b(?=id\b|role\b)/g, "u.")};
    delete from sign_in s using user_account u where u.id = s.user_id and ${person.replaceAll(/\b(?=id\b|role\b)/g, "u.")};
    delete from ssh_key k using user_account u where u.id = k.user_id and ${person.replaceAll(/\b(?=id\b|role\b)/g, "u.")};
    update node set memory_used_mb = 5, memory_mb = 16, cpu_average_30m = 0.99, status = 'offline' where ${node};
    update storage set free_bytes = 1 where node_id in (select id from node where ${node});
    update host set name = 'other' || id, hostname = 'other' || id, version = '7.7', last_sync_error = 'other', active = false where ${host};
    ${more}`;
}
