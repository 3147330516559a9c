// Answers the directory indexes: which paths lie below one.
import { anyone, anyPrivilege } from "../access/requirement.js";
import { guestOf } from "../guests/lookup.js";
import type { Call, Route } from "../route.js";
import { answer } from "../route.js";
import type { GuestType } from "../state/guest.js";
import type { Release } from "../version.js";
import { atLeast, releases } from "../version.js";

interface Index {
  path: string;
  /** What a row calls the path below: the interface uses both. */
  column: "name" | "subdir";
  names: string;
  /** Names that newer releases added, by the release that brought them. */
  added?: Partial<Record<Release, string>>;
  /** The index of a guest's paths may need that guest. */
  needsGuest?: GuestType;
}

const node = "/nodes/{node}";
const indexes: Index[] = [
  { path: "/", column: "subdir", names: "version cluster nodes storage access pools" },
  {
    path: "/access",
    column: "subdir",
    names: "users groups roles acl domains openid tfa ticket password",
  },
  {
    path: "/cluster",
    column: "name",
    names:
      "acme backup backup-info ceph config firewall ha jobs log metrics nextid options replication resources sdn status tasks",
    added: { "8.4": "mapping notifications", "9.2": "bulk-action qemu" },
  },
  {
    path: node,
    column: "name",
    names:
      "aplinfo apt capabilities ceph certificates config disks dns firewall hardware hosts journal lxc netstat network qemu query-url-metadata replication report rrd rrddata scan sdn services spiceshell startall status stopall storage subscription syslog tasks termproxy time version vncshell vzdump wakeonlan",
    added: { "8.4": "migrateall suspendall", "9.2": "query-oci-repo-tags" },
  },
  {
    path: `${node}/qemu/{vmid}`,
    column: "subdir",
    names:
      "config cloudinit pending status unlink vncproxy termproxy migrate resize move rrd rrddata monitor agent snapshot spiceproxy sendkey firewall mtunnel remote_migrate",
  },
  {
    path: `${node}/qemu/{vmid}/status`,
    column: "subdir",
    names: "current start stop reset shutdown suspend reboot",
    needsGuest: "qemu",
  },
  {
    path: `${node}/lxc/{vmid}`,
    column: "subdir",
    names:
      "config pending status vncproxy termproxy vncwebsocket spiceproxy migrate clone rrd rrddata firewall snapshot resize",
    added: { "8.4": "interfaces" },
    needsGuest: "lxc",
  },
  {
    path: `${node}/lxc/{vmid}/status`,
    column: "subdir",
    names: "current start stop shutdown reboot migrate",
    needsGuest: "lxc",
  },
];

export const indexRoutes: Route[] = [
  ...indexes.map((index): Route => ({
    method: "GET",
    path: index.path,
    requires: anyone,
    handle: (call) => {
      if (index.needsGuest !== undefined) guestOf(call, index.needsGuest);
      return rows(call, index);
    },
  })),
  {
    method: "GET",
    path: `${node}/storage/{storage}`,
    requires: anyPrivilege("/storage/{storage}", ["Datastore.Audit", "Datastore.AllocateSpace"]),
    handle: (call) =>
      rows(call, {
        path: "",
        column: "subdir",
        names: "content download-url file-restore prunebackups rrd rrddata status upload",
        added: { "8.4": "import-metadata", "9.2": "identity oci-registry-pull" },
      }),
  },
];

function rows(call: Call, index: Index): ReturnType<typeof answer> {
  const added = releases
    .filter((release) => atLeast(call.platform.release, release))
    .flatMap((release) => index.added?.[release]?.split(" ") ?? []);
  return answer([...index.names.split(" "), ...added].map((name) => ({ [index.column]: name })));
}
