// Reads IP zones and how full they are.
import { column, expression, type ReadModel } from "./model.js";
import { visibleHost } from "./visibility.js";

/** An IPv6 zone has more addresses than GraphQL and JSON count exactly. */
const LARGEST_COUNT = Number.MAX_SAFE_INTEGER;

export const ipZones: ReadModel = {
  type: "IpZone",
  from: (row) => `ip_zone ${row}`,
  visible: (row, viewer, bind) => visibleHost(`${row}.host_id`, viewer, bind),
  fields: {
    id: column("id"),
    ref: expression((row) => `'zone:' || ${row}.id`),
    hostId: column("host_id"),
    name: column("name"),
    cidr: column("cidr"),
    gateway: expression((row) => `host(${row}.gateway)`),
    bridge: column("bridge"),
    vlan: column("vlan"),
    nameservers: column("nameservers"),
    family: expression((row) => `family(${row}.cidr)`),
    total: expression((row) => `least(${row}.total, ${LARGEST_COUNT})`),
    used: column("used"),
    free: expression((row) => `least(greatest(${row}.total - ${row}.used, 0), ${LARGEST_COUNT})`),
  },
};
