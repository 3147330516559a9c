// Places of guests that are to be created: the nodes that the author of a job may use, and that have what its guest is made from.
import { sql } from "kysely";
import { UserRole } from "../core/enums.js";
import { prepared, rowsOf, tables, type Connection, type Given } from "./tables.js";
import { CAN_CLONE } from "./template.js";

/** A creation, with what its guest is made from: a template file, or else a registered template. */
export interface CreationWithImage {
  readonly jobId: number;
  readonly volid: string | null;
  readonly templateId: number | null;
}

/** Creations of one host, column by column. */
interface CreationColumns {
  readonly hostId: number;
  readonly jobIds: readonly number[];
  readonly volids: readonly (string | null)[];
  readonly templateIds: readonly (number | null)[];
}

const columnsOf = (hostId: number, creations: readonly CreationWithImage[]): CreationColumns => ({
  hostId,
  jobIds: creations.map(({ jobId }) => jobId),
  volids: creations.map(({ volid }) => volid),
  templateIds: creations.map(({ templateId }) => templateId),
});

/** Creations `asked` with their jobs `j`, and with their authors `u` where these are resellers. */
const creations = ({ jobIds, volids, templateIds }: Given<CreationColumns>) =>
  tables
    .selectFrom(
      sql<{
        job_id: number;
        volid: string | null;
        template_id: number | null;
      }>`unnest(${jobIds}::int[], ${volids}::text[], ${templateIds}::int[])`.as<"asked">(
        sql.raw("asked (job_id, volid, template_id)"),
      ),
    )
    .innerJoin("job as j", "j.id", "asked.job_id")
    .leftJoin("user_account as u", (join) =>
      join.onRef("u.id", "=", "j.created_by_user").on("u.role", "=", sql.lit(UserRole.RESELLER)),
    );

/** Condition on a creation and a node `n`: a reseller creates on assigned nodes alone, any other author on all. */
const IS_PERMITTED = sql<boolean>`(u.id is null
  or exists (select 1 from reseller_node a where a.user_id = u.id and a.node_id = n.id))`;

/** Condition on a creation and a node `n`: the node has the file, or can clone the template. */
const HAS_IMAGE = sql<boolean>`(
  exists (select 1 from node_file f where f.node_id = n.id and f.volid = asked.volid and f.content = 'vztmpl')
  or exists (select 1 from os_template t
    where t.id = asked.template_id and t.active and t.host_id = n.host_id and ${sql.raw(CAN_CLONE)}))`;

/** Room that is reserved for a creation. */
export interface ReservedPlace {
  readonly jobId: number;
  readonly node: string;
  readonly storage: string;
  readonly memoryMb: number;
  readonly diskBytes: number;
  /** Whether the author of the job may create on the node, and the node has what the guest is made from. */
  readonly usable: boolean;
}

const RESERVED = prepared<CreationColumns, ReservedPlace>("reserved-places", (given) =>
  creations(given)
    .innerJoin("capacity_reservation as r", "r.job_id", "j.id")
    .innerJoin("node as n", "n.id", "r.node_id")
    .select(["r.job_id as jobId", "n.name as node", "r.storage", "r.memory_mb as memoryMb"])
    .select(["r.disk_bytes as diskBytes", sql<boolean>`${IS_PERMITTED} and ${HAS_IMAGE}`.as("usable")])
    .where("n.host_id", "=", given.hostId),
);

/** Room that is reserved for creations on a host. */
export const reserved = (
  connection: Connection,
  hostId: number,
  asked: readonly CreationWithImage[],
): Promise<ReservedPlace[]> => rowsOf(connection, RESERVED(columnsOf(hostId, asked)));

/** A node, for one creation. */
interface NodeOfCreation {
  readonly hostId: number;
  readonly node: string;
  readonly permitted: boolean;
  readonly hasImage: boolean;
}

const NODES = prepared<CreationColumns, NodeOfCreation>("creation-nodes", (given) =>
  creations(given)
    .innerJoin("node as n", (join) => join.on("n.host_id", "=", given.hostId))
    .select(["n.host_id as hostId", "n.name as node", IS_PERMITTED.as("permitted"), HAS_IMAGE.as("hasImage")]),
);

/** The nodes of a host, for one creation. */
export const nodesFor = (connection: Connection, hostId: number, asked: CreationWithImage): Promise<NodeOfCreation[]> =>
  rowsOf(connection, NODES(columnsOf(hostId, [asked])));
