// Lists the endpoints that both guest types have and that are alike for both: what a guest is, its firewall, its power, its snapshots.
import { anyPrivilege } from "../access/requirement.js";
import { guestFirewallRoutes } from "../firewall/routes.js";
import { guestRrd } from "../metrics/rrd.js";
import type { Handler, Route } from "../route.js";
import { answer } from "../route.js";
import { readFeature } from "../snapshots/feature.js";
import type { SnapshotHabits } from "../snapshots/habits.js";
import { rollback } from "../snapshots/rollback.js";
import { describeSnapshot, readSnapshot } from "../snapshots/single.js";
import { createSnapshot, deleteSnapshot } from "../snapshots/tasks.js";
import { listSnapshots, readConfig, readPending } from "./read.js";
import { may } from "./rights.js";

/** What a guest type brings along. */
interface GuestHandlers {
  power: Readonly<Record<string, Handler>>;
  snapshots: SnapshotHabits;
}

/** @param guest path of one guest of the type */
export function guestRoutes(guest: string, { power, snapshots }: GuestHandlers): Route[] {
  const { type } = snapshots;
  return [
    { method: "GET", path: `${guest}/config`, requires: may("VM.Audit"), handle: readConfig(type) },
    { method: "GET", path: `${guest}/pending`, requires: may("VM.Audit"), handle: readPending(type) },
    ...guestFirewallRoutes(guest, type),
    { method: "GET", path: `${guest}/rrddata`, requires: may("VM.Audit"), proxied: false, handle: guestRrd(type) },
    ...Object.entries(power).map(([action, handle]): Route => ({
      method: "POST",
      path: `${guest}/status/${action}`,
      requires: may("VM.PowerMgmt"),
      handle,
    })),
    { method: "GET", path: `${guest}/snapshot`, requires: may("VM.Audit"), handle: listSnapshots(type) },
    { method: "POST", path: `${guest}/snapshot`, requires: may("VM.Snapshot"), handle: createSnapshot(snapshots) },
    ...snapshotRoutes(`${guest}/snapshot/{snapname}`, snapshots),
    { method: "GET", path: `${guest}/feature`, requires: may("VM.Audit"), handle: readFeature(snapshots) },
  ];
}

function snapshotRoutes(snapshot: string, habits: SnapshotHabits): Route[] {
  const { type } = habits;
  const see = anyPrivilege("/vms/{vmid}", ["VM.Snapshot", "VM.Snapshot.Rollback", "VM.Audit"]);
  const back = anyPrivilege("/vms/{vmid}", ["VM.Snapshot", "VM.Snapshot.Rollback"]);
  return [
    { method: "GET", path: snapshot, requires: see, handle: () => answer([{ cmd: "rollback" }, { cmd: "config" }]) },
    { method: "DELETE", path: snapshot, requires: may("VM.Snapshot"), handle: deleteSnapshot(habits) },
    { method: "GET", path: `${snapshot}/config`, requires: see, handle: readSnapshot(type) },
    { method: "PUT", path: `${snapshot}/config`, requires: may("VM.Snapshot"), handle: describeSnapshot(habits) },
    { method: "POST", path: `${snapshot}/rollback`, requires: back, handle: rollback(habits) },
  ];
}
