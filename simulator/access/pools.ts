// Answers the endpoints for pools: their list, one of them with its members, and how one is made and removed.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { guestStatistics, storageStatistics } from "../inventory/resources.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Pool } from "../state/access.js";
import { isOnNode } from "../storage/storages.js";

type Row = Record<string, unknown>;

/** `GET /pools`: the pools that the caller may audit; with `poolid` that one, with its members. */
export function listPools(call: Call): ApiAnswer {
  const { permissions, state } = call.platform;
  const { label } = call.identity;
  const poolid = call.parameters.optional("poolid");
  if (poolid !== undefined) {
    permissions.check(label, `/pool/${poolid}`, ["Pool.Audit"]);
    return answer([{ poolid, ...described(call, existing(call, poolid)) }]);
  }
  const visible = [...state.access.pools.values()].filter((pool) =>
    permissions.hasAny(label, `/pool/${pool.poolid}`, ["Pool.Audit"]),
  );
  const rows = visible.toSorted((a, b) => (a.poolid < b.poolid ? -1 : 1));
  return answer(rows.map((pool) => ({ poolid: pool.poolid, ...commentOf(pool) })));
}

/** `GET /pools/{poolid}`. */
export function readPool(call: Call): ApiAnswer {
  return answer(described(call, existing(call, call.parameters.text("poolid"))));
}

function existing({ platform }: Call, poolid: string): Pool {
  const pool = platform.state.access.pools.get(poolid);
  if (pool === undefined) throw failure(`pool '${poolid}' does not exist`);
  return pool;
}

const commentOf = ({ comment }: Pool): Row => (comment === "" ? {} : { comment });

/** A pool's comment and members; only those of the type that is asked for. */
function described(call: Call, pool: Pool): Row {
  const { state } = call.platform;
  const type = call.parameters.optional("type");
  const guests = [...pool.vmids]
    .toSorted((a, b) => (String(a) < String(b) ? -1 : 1))
    .flatMap((vmid) => state.guests.get(vmid) ?? [])
    .filter((guest) => type === undefined || guest.type === type)
    .map((guest) => guestStatistics(call, guest));
  const storages = type === undefined || type === "storage" ? storageRows(call, pool) : [];
  return { ...commentOf(pool), members: [...guests, ...storages] };
}

/** Each storage once: as the node that was asked has it, else as the first that does. */
function storageRows(call: Call, pool: Pool): Row[] {
  const { state } = call.platform;
  return [...pool.storages].toSorted().flatMap((name) => {
    const storage = state.storages.get(name);
    if (storage === undefined) return [];
    const local = isOnNode(storage, call.answeringNode) ? call.answeringNode : storage.nodes?.toSorted()[0];
    const node = state.nodes.get(local ?? call.answeringNode);
    return node === undefined ? [] : [storageStatistics(call, storage, node)];
  });
}

export function createPool(call: Call): ApiAnswer {
  const poolid = call.parameters.text("poolid");
  const { pools } = call.platform.state.access;
  if (pools.has(poolid)) throw failure(`create pool failed: pool '${poolid}' already exists`);
  pools.set(poolid, {
    poolid,
    comment: call.parameters.optional("comment") ?? "",
    vmids: new Set(),
    storages: new Set(),
  });
  return answer(null);
}

export function deletePool(call: Call): ApiAnswer {
  const poolid = call.parameters.text("poolid");
  const pool = call.platform.state.access.pools.get(poolid);
  if (pool === undefined) throw failure(`delete pool failed: pool '${poolid}' does not exist`);
  if (pool.vmids.size > 0 || pool.storages.size > 0) throw failure(`delete pool failed: pool '${poolid}' is not empty`);
  call.platform.state.access.pools.delete(poolid);
  return answer(null);
}
