// Reads hosts.
import { column, expression, many, moment, type ReadModel } from "./model.js";
import { nodes } from "./node.js";
import { visibleGuest, visibleHost } from "./visibility.js";

export const hosts: ReadModel = {
  type: "Host",
  key: "id",
  from: (row) => `host ${row}`,
  visible: (row, viewer, bind) => visibleHost(`${row}.id`, viewer, bind),
  fields: {
    id: column("id"),
    name: column("name"),
    hostname: column("hostname"),
    port: column("port"),
    user: column("user_name"),
    active: column("active"),
    kind: column("kind"),
    clusterName: column("cluster_name"),
    version: column("version"),
    tlsFingerprint: column("tls_fingerprint"),
    maintenance: column("maintenance"),
    maintenanceSince: moment("maintenance_since"),
    lastSyncAt: moment("last_sync_at"),
    lastSyncError: column("last_sync_error"),
    nodes: many(
      () => nodes,
      (row, child) => `${child}.host_id = ${row}.id`,
      (child) => `${child}.name`,
    ),
    guestCount: expression(
      (row, bind, viewer) =>
        `(select count(*) from guest gc where gc.host_id = ${row}.id and ${visibleGuest("gc", viewer, bind)})`,
    ),
  },
};
