// Lists the container endpoints and what they require.
import { anyone, anyPrivilege } from "../access/requirement.js";
import { guestRoutes } from "../guests/guestRoutes.js";
import { may, mayClone } from "../guests/rights.js";
import { after } from "../route.js";
import type { Handler, Route } from "../route.js";
import { requireQuorum } from "../state/quorum.js";
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
import { containerSnapshots } from "./snapshot.js";
import { containerInterfaces, containerStatus, listContainers } from "./status.js";
import { makeContainerTemplate } from "./template.js";
import { updateContainer } from "./update.js";

const containers = "/nodes/{node}/lxc";
const container = `${containers}/{vmid}`;
const mayConfigure = anyPrivilege("/vms/{vmid}", [
  "VM.Config.Disk",
  "VM.Config.CPU",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.Options",
]);
const power: Record<string, Handler> = {
  start: startContainer,
  stop: stopContainer,
  shutdown: shutdownContainer,
  reboot: rebootContainer,
  suspend: suspendContainer,
  resume: resumeContainer,
};

export const lxcRoutes: Route[] = [
  { method: "GET", path: containers, requires: anyone, handle: listContainers },
  { method: "POST", path: containers, requires: anyone, handle: after(requireQuorum, createContainer) },
  { method: "DELETE", path: container, requires: may("VM.Allocate"), handle: destroyContainer },
  { method: "PUT", path: `${container}/config`, requires: mayConfigure, handle: updateContainer },
  { method: "GET", path: `${container}/status/current`, requires: may("VM.Audit"), handle: containerStatus },
  { method: "POST", path: `${container}/clone`, requires: mayClone, handle: after(requireQuorum, cloneContainer) },
  { method: "PUT", path: `${container}/resize`, requires: may("VM.Config.Disk"), handle: resizeContainer },
  { method: "POST", path: `${container}/template`, requires: may("VM.Allocate"), handle: makeContainerTemplate },
  ...guestRoutes(container, {
    power,
    snapshots: containerSnapshots,
  }),
  { method: "GET", path: `${container}/migrate`, requires: may("VM.Migrate"), handle: containerMigratePreconditions },
  {
    method: "POST",
    path: `${container}/migrate`,
    requires: may("VM.Migrate"),
    handle: after(requireQuorum, migrateContainer),
  },
  { method: "GET", path: `${container}/interfaces`, requires: may("VM.Audit"), handle: containerInterfaces },
];
