// Recognises machines that another host has already, whatever address they are reached at: one machine is one host.
import type { ClientBase, Pool } from "pg";
import { DroverError } from "../errors/errors.js";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import type { Member } from "../hypervisor/observed.js";
import type { Identity } from "./observe.js";

/** The machines behind an address. */
export interface Machines {
  /** Null: a standalone node. */
  readonly clusterName: string | null;
  /** None: the host does not tell. */
  readonly members: readonly Member[];
}

/** A connected host with the same machines. */
export interface SameHost {
  readonly id: number;
  readonly name: string;
  /** One of the nodes that both have. */
  readonly node: string;
}

/** Its machines are on record as another host's: what is read there is that host's. */
export class ConnectedTwice extends DroverError {
  override readonly name = "ConnectedTwice";
  readonly otherId: number;

  constructor({ id, name, node }: SameHost) {
    const message = `its node ${node} belongs to host "${name}", which is connected already`;
    super("conflict", message, { reason: "HOST_EXISTS" });
    this.otherId = id;
  }
}

/**
 * A name alone is no sign, nor is a certificate, which may be issued for all machines of a domain: the two of a node are one, within
 * clusters of the same name. Of several hosts with the same machines the one that has more of them on record is right, then the elder.
 */
const SAME = `
  select h.id, h.name, min(n.name) as node
  from host h join node n on n.host_id = h.id
    join unnest($1::text[], $2::text[]) as seen (name, certificate) on seen.name = n.name and seen.certificate = n.certificate
  where h.cluster_name is not distinct from $3
  group by h.id order by count(*) desc, h.id limit 1`;

/** @param hostId the host that is read; null: one that is to be connected. @returns null when the machines are its own */
export async function otherHostOf(
  database: Pool | ClientBase,
  hostId: number | null,
  { clusterName, members }: Machines,
): Promise<SameHost | null> {
  const told = members.filter(({ certificate }) => certificate !== null);
  if (told.length === 0) return null;
  const names = told.map(({ name }) => name);
  const certificates = told.map(({ certificate }) => certificate);
  const { rows } = await database.query<SameHost>(SAME, [names, certificates, clusterName]);
  const [owner] = rows;
  return owner === undefined || owner.id === hostId ? null : owner;
}

/** @throws ConnectedTwice when the machines that a sync meets are another host's */
export async function refuseTwin(
  database: Pool | ClientBase,
  hostId: number,
  { cluster, members }: Identity,
): Promise<void> {
  const other = await otherHostOf(database, hostId, { clusterName: cluster.name, members: members ?? [] });
  if (other !== null) throw new ConnectedTwice(other);
}

/** Asks a host for its machines. */
export async function readMachines(hypervisor: Pick<Hypervisor, "cluster" | "members">): Promise<Machines> {
  const { name } = await hypervisor.cluster();
  return { clusterName: name, members: await hypervisor.members() };
}
