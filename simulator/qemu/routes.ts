// Lists the VM endpoints and what they require.
import { anyone, anyPrivilege } from "../access/requirement.js";
import { guestRoutes } from "../guests/guestRoutes.js";
import { may, mayClone } from "../guests/rights.js";
import { node as nodeName } from "../parameters/common.js";
import { after } from "../route.js";
import type { Handler, Route } from "../route.js";
import { requireQuorum } from "../state/quorum.js";
import { cloneVm } from "./clone.js";
import { createVm } from "./create.js";
import { destroyVm } from "./destroy.js";
import { migratePreconditions, migrateVm } from "./migrate.js";
import { reboot, reset, resume, shutdown, start, stop, suspend } from "./power.js";
import { moveDisk } from "./moveDisk.js";
import { dumpCloudInit, readCloudInit, regenerateCloudInit } from "./read.js";
import { listCpuModels } from "./processors.js";
import { resizeVm } from "./resize.js";
import { vmSnapshots } from "./snapshot.js";
import { listVms, vmStatus } from "./status.js";
import { listMachineTypes } from "./machineTypes.js";
import { makeTemplate } from "./template.js";
import { unlinkDisks, updateVm, updateVmInTask } from "./update.js";

const vms = "/nodes/{node}/qemu";
const vm = `${vms}/{vmid}`;
const mayConfigure = anyPrivilege("/vms/{vmid}", [
  "VM.Config.Disk",
  "VM.Config.CDROM",
  "VM.Config.CPU",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.HWType",
  "VM.Config.Options",
  "VM.Config.Cloudinit",
]);
const power: Record<string, Handler> = {
  start: after(requireQuorum, start),
  stop,
  shutdown,
  reboot,
  reset,
  suspend,
  resume,
};

export const qemuRoutes: Route[] = [
  {
    method: "GET",
    path: "/nodes/{node}/capabilities/qemu/cpu",
    requires: anyone,
    proxied: false,
    accepts: { node: nodeName },
    handle: listCpuModels,
  },
  {
    method: "GET",
    path: "/nodes/{node}/capabilities/qemu/machines",
    requires: anyone,
    handle: listMachineTypes,
  },
  { method: "GET", path: vms, requires: anyone, handle: listVms },
  { method: "POST", path: vms, requires: anyone, handle: after(requireQuorum, createVm) },
  { method: "DELETE", path: vm, requires: may("VM.Allocate"), handle: destroyVm },
  { method: "PUT", path: `${vm}/config`, requires: mayConfigure, handle: updateVm },
  { method: "POST", path: `${vm}/config`, requires: mayConfigure, handle: updateVmInTask },
  { method: "GET", path: `${vm}/cloudinit`, requires: may("VM.Audit"), handle: readCloudInit },
  { method: "PUT", path: `${vm}/cloudinit`, requires: may("VM.Config.Cloudinit"), handle: regenerateCloudInit },
  { method: "GET", path: `${vm}/cloudinit/dump`, requires: may("VM.Audit"), handle: dumpCloudInit },
  { method: "GET", path: `${vm}/status/current`, requires: may("VM.Audit"), handle: vmStatus },
  { method: "POST", path: `${vm}/clone`, requires: mayClone, handle: after(requireQuorum, cloneVm) },
  { method: "PUT", path: `${vm}/unlink`, requires: may("VM.Config.Disk"), handle: unlinkDisks },
  { method: "POST", path: `${vm}/move_disk`, requires: may("VM.Config.Disk"), handle: moveDisk },
  { method: "PUT", path: `${vm}/resize`, requires: may("VM.Config.Disk"), handle: resizeVm },
  { method: "POST", path: `${vm}/template`, requires: may("VM.Allocate"), handle: makeTemplate },
  ...guestRoutes(vm, {
    power,
    snapshots: vmSnapshots,
  }),
  { method: "GET", path: `${vm}/migrate`, requires: may("VM.Migrate"), handle: migratePreconditions },
  { method: "POST", path: `${vm}/migrate`, requires: may("VM.Migrate"), handle: after(requireQuorum, migrateVm) },
];
