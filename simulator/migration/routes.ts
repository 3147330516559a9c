// Lists the endpoints of remote migration and what they require.
import { allOf, privileges } from "../access/requirement.js";
import { after } from "../route.js";
import type { Route } from "../route.js";
import { requireQuorum } from "../state/quorum.js";
import { migrateCt, migrateVm } from "./startMigration.js";
import { openTunnel } from "./tunnelHost.js";

const mayMigrate = privileges("/vms/{vmid}", ["VM.Migrate"]);
const mayReceive = allOf(privileges("/vms/{vmid}", ["VM.Allocate"]), privileges("/", ["Sys.Incoming"]));

export const migrationRoutes: Route[] = [
  {
    method: "POST",
    path: "/nodes/{node}/qemu/{vmid}/remote_migrate",
    requires: mayMigrate,
    handle: after(requireQuorum, migrateVm),
  },
  {
    method: "POST",
    path: "/nodes/{node}/lxc/{vmid}/remote_migrate",
    requires: mayMigrate,
    handle: after(requireQuorum, migrateCt),
  },
  {
    method: "POST",
    path: "/nodes/{node}/qemu/{vmid}/mtunnel",
    requires: mayReceive,
    handle: after(requireQuorum, openTunnel("qemu")),
  },
  {
    method: "POST",
    path: "/nodes/{node}/lxc/{vmid}/mtunnel",
    requires: mayReceive,
    handle: after(requireQuorum, openTunnel("lxc")),
  },
];
