// Reads IP zones and how full they are.
import { parseIp } from "../../core/addressing/address.js";
import { contains, given, type Optional } from "../engine/criteria.js";
import { column, expression, type ReadModel } from "../engine/model.js";
import type { Clause } from "../engine/read.js";
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

/** Which zones to list; what is left out does not restrict. */
interface IpZoneCriteria {
  readonly hostId?: Optional<number>;
  /** Part of the name or of the network as it is written, or an address of the network. */
  readonly search?: Optional<string>;
}

/** The conditions of a filter. */
export const ipZoneClauses = ({ hostId, search }: IpZoneCriteria): Clause[] => [
  ...given(hostId, (row, id) => `${row}.host_id = ${id}`),
  ...(typeof search === "string" ? [found(search)] : []),
];

const found =
  (search: string): Clause =>
  (row, value) => {
    const part = value(contains(search));
    const address = parseIp(search)?.toString();
    const around = address === undefined ? "" : ` or ${row}.cidr >>= ${value(address)}::inet`;
    return `(${row}.name ilike ${part} or ${row}.cidr::text ilike ${part}${around})`;
  };
