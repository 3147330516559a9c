// Lists the endpoints of single snapshots, which are alike for both guest types.
import { anyPrivilege, privileges } from "../access/requirement.js";
import type { Call, Route } from "../route.js";
import { answer } from "../route.js";
import type { Guest, GuestType } from "../state/guest.js";
import { describeSnapshot, readSnapshot, rollback } from "./snapshotMethods.js";

/** @param start starts a guest after a rollback */
export function snapshotRoutes(base: string, type: GuestType, start: (call: Call, guest: Guest) => void): Route[] {
  const snapshot = `${base}/snapshot/{snapname}`;
  const see = anyPrivilege("/vms/{vmid}", ["VM.Snapshot", "VM.Snapshot.Rollback", "VM.Audit"]);
  const back = anyPrivilege("/vms/{vmid}", ["VM.Snapshot", "VM.Snapshot.Rollback"]);
  return [
    { method: "GET", path: snapshot, requires: see, handle: () => answer([{ cmd: "rollback" }, { cmd: "config" }]) },
    { method: "GET", path: `${snapshot}/config`, requires: see, handle: readSnapshot(type) },
    {
      method: "PUT",
      path: `${snapshot}/config`,
      requires: privileges("/vms/{vmid}", ["VM.Snapshot"]),
      handle: describeSnapshot(type),
    },
    { method: "POST", path: `${snapshot}/rollback`, requires: back, handle: rollback(type, start) },
  ];
}
