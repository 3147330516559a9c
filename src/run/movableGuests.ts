// Turns rows of the inventory into guests that balancing and evacuation decide on.
import { GuestStatus, type GuestType } from "../core/enums.js";
import { guestLockSql } from "../core/guest/lock.js";
import { firstObstacle } from "../core/migration/check.js";
import { GUEST_CHECKS } from "../core/migration/guestChecks.js";
import { NO_TRAITS, type GuestTraits } from "../core/migration/guestTraits.js";
import { tunnelsOf, type NodeVersions } from "../core/inventory/tunnel.js";
import type { MovableGuest } from "../core/migration/movableGuest.js";
import { GIB } from "../core/units.js";

/** A movable guest with its names in the service. */
export interface NamedGuest extends MovableGuest {
  readonly id: number;
  readonly name: string;
  readonly status: GuestStatus;
  /**
   * What the inventory knows: template, safety copy, lock, busy, addresses of zones, sizes of disks. Snapshots, devices and settings
   * stand in the configuration, which is read when a move is planned and again at the guest's turn.
   */
  readonly traits: GuestTraits;
}

/** A guest as {@link movableGuestSql} gives it. */
export interface MovableGuestRow extends NodeVersions {
  readonly id: number;
  readonly hostId: number;
  readonly node: string;
  readonly vmid: number;
  readonly name: string;
  readonly type: GuestType;
  readonly status: GuestStatus;
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskBytes: number;
  /** Keys of data disks that `diskBytes` does not count; null: no configuration was read yet. */
  readonly unsizedDisks: readonly string[] | null;
  /** Names, each once. */
  readonly storages: readonly string[];
  readonly memoryUsedMb: number;
  /** Share 0..1 of its own cores. */
  readonly cpuUsage: number;
  readonly template: boolean;
  readonly safetyCopy: boolean;
  readonly lock: string | null;
  readonly panelAddresses: number;
  readonly busyWith: string | null;
  readonly architecture: string | null;
}

/** Columns of a guest `g` on its node `n`. A guest that reports no use of RAM counts with its whole configured size. */
export const movableGuestSql = `
  g.id, g.host_id as "hostId", n.name as node, g.vmid, g.name, g.type, g.status, g.cores, g.memory_mb as "memoryMb",
  g.disk_bytes::float8 as "diskBytes", g.unsized_disks as "unsizedDisks", g.storages, coalesce(g.memory_used_mb, g.memory_mb) as "memoryUsedMb",
  coalesce(g.cpu_usage, 0) as "cpuUsage", n.version, n.qemu_server as "qemuServer", n.pve_container as "pveContainer", n.architecture, g.template, g.safety_copy as "safetyCopy", g.lock,
  (select count(*)::int from ip_address a where a.guest_id = g.id) as "panelAddresses",
  coalesce(
    (select replace(j.kind, '_', ' ') || ' (job ' || j.id || ')' from resource_lock l join job j on j.id = l.job_id
      where l.key = ${guestLockSql("g")}),
    (select 'waits for its turn in ' || replace(r.kind, '_', ' ') || ' ' || r.id from run_item i join run r on r.id = i.run_id
      where i.guest_id = g.id and i.status = 'waiting')
  ) as "busyWith"`;

/** @returns the guest with its obstacle, as far as the inventory knows one. */
export function knownGuest(row: MovableGuestRow): NamedGuest {
  const { template, safetyCopy, lock, panelAddresses, busyWith, unsizedDisks } = row;
  const traits: GuestTraits = { ...NO_TRAITS, template, safetyCopy, lock, panelAddresses, busyWith, unsizedDisks };
  const isRunning = row.status === GuestStatus.RUNNING || row.status === GuestStatus.PAUSED;
  return {
    id: row.id,
    name: row.name,
    hostId: row.hostId,
    node: row.node,
    vmid: row.vmid,
    type: row.type,
    status: row.status,
    running: isRunning,
    cores: row.cores,
    memoryMb: row.memoryMb,
    diskGb: row.diskBytes / GIB,
    storage: row.storages.length === 1 ? (row.storages[0] ?? null) : null,
    memoryUsedMb: isRunning ? row.memoryUsedMb : 0,
    coresUsed: isRunning ? row.cpuUsage * row.cores : 0,
    tunnel: tunnelsOf(row)[row.type],
    architecture: row.architecture,
    traits,
    obstacle: firstObstacle(GUEST_CHECKS, traits)?.message ?? null,
  };
}
