// Lists the container endpoints and what they require.
import { allOf, anyone, anyPrivilege, oneOf, privileges, withParameter } from "../access/requirement.js";
import { snapshotRoutes } from "../guests/snapshotRoutes.js";
import { guestRrd } from "../inventory/rrd.js";
import { listSnapshots, readConfig, readPending } from "../qemu/read.js";
import type { Handler, Route } from "../route.js";
import { cloneContainer } from "./clone.js";
import { createContainer } from "./create.js";
import { destroyContainer } from "./destroy.js";
import { containerMigratePreconditions, migrateContainer } from "./migrate.js";
import {
  rebootContainer,
  resumeContainer,
  shutdownContainer,
  startContainer,
  stopContainer,
  suspendContainer,
} from "./power.js";
import { resizeContainer } from "./resize.js";
import { launchContainerStart } from "./start.js";
import { createContainerSnapshot, deleteContainerSnapshot } from "./snapshot.js";
import { containerInterfaces, containerStatus, listContainers } from "./status.js";
import { makeContainerTemplate } from "./template.js";
import { updateContainer } from "./update.js";

const containers = "/nodes/{node}/lxc";
const container = `${containers}/{vmid}`;
const may = (...names: string[]): ReturnType<typeof privileges> => privileges("/vms/{vmid}", names);
const mayConfigure = anyPrivilege("/vms/{vmid}", [
  "VM.Config.Disk",
  "VM.Config.CPU",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.Options",
]);
const mayClone = allOf(
  may("VM.Clone"),
  oneOf(
    privileges("/vms/{newid}", ["VM.Allocate"]),
    withParameter("pool", privileges("/pool/{pool}", ["VM.Allocate"])),
  ),
);
const powerActions: Record<string, Handler> = {
  start: startContainer,
  stop: stopContainer,
  shutdown: shutdownContainer,
  reboot: rebootContainer,
  suspend: suspendContainer,
  resume: resumeContainer,
};

export const lxcRoutes: Route[] = [
  { method: "GET", path: containers, requires: anyone, handle: listContainers },
  { method: "POST", path: containers, requires: anyone, handle: createContainer },
  { method: "DELETE", path: container, requires: may("VM.Allocate"), handle: destroyContainer },
  { method: "GET", path: `${container}/config`, requires: may("VM.Audit"), handle: readConfig("lxc") },
  { method: "PUT", path: `${container}/config`, requires: mayConfigure, handle: updateContainer },
  { method: "GET", path: `${container}/pending`, requires: may("VM.Audit"), handle: readPending("lxc") },
  { method: "GET", path: `${container}/status/current`, requires: may("VM.Audit"), handle: containerStatus },
  ...Object.entries(powerActions).map(([action, handle]): Route => ({
    method: "POST",
    path: `${container}/status/${action}`,
    requires: may("VM.PowerMgmt"),
    handle,
  })),
  { method: "POST", path: `${container}/clone`, requires: mayClone, handle: cloneContainer },
  { method: "PUT", path: `${container}/resize`, requires: may("VM.Config.Disk"), handle: resizeContainer },
  { method: "POST", path: `${container}/template`, requires: may("VM.Allocate"), handle: makeContainerTemplate },
  { method: "GET", path: `${container}/snapshot`, requires: may("VM.Audit"), handle: listSnapshots("lxc") },
  { method: "POST", path: `${container}/snapshot`, requires: may("VM.Snapshot"), handle: createContainerSnapshot },
  {
    method: "DELETE",
    path: `${container}/snapshot/{snapname}`,
    requires: may("VM.Snapshot"),
    handle: deleteContainerSnapshot,
  },
  ...snapshotRoutes(container, "lxc", (call, { node, vmid }) =>
    launchContainerStart(call.platform, { node, vmid, identity: call.identity }),
  ),
  { method: "GET", path: `${container}/migrate`, requires: may("VM.Migrate"), handle: containerMigratePreconditions },
  { method: "POST", path: `${container}/migrate`, requires: may("VM.Migrate"), handle: migrateContainer },
  { method: "GET", path: `${container}/interfaces`, requires: may("VM.Audit"), handle: containerInterfaces },
  { method: "GET", path: `${container}/rrddata`, requires: may("VM.Audit"), handle: guestRrd("lxc") },
];
