// Where an evacuation goes from, and where to: whether what it names is there.
import { exists, rowOf, tables, type Connection } from "../tables.js";

interface Route {
  readonly hostId: number;
  readonly node: string | null;
  readonly targetHostId: number | null;
  readonly targetNode: string | null;
  readonly ipZoneId: number | null;
}

/** Which parts of a route there are; those that it does not name are not. */
export interface RouteFacts {
  readonly host: boolean;
  readonly node: boolean;
  /** Null: there is no such target. */
  readonly targetName: string | null;
  readonly targetMaintenance: boolean | null;
  readonly targetNode: boolean;
  readonly zone: boolean;
}

/** Looks up all parts of a route in one statement. */
export function routeFacts(connection: Connection, route: Route): Promise<RouteFacts | null> {
  const { hostId, node, targetHostId, targetNode, ipZoneId } = route;
  const target = tables.selectFrom("host").where("id", "=", targetHostId);
  const nodes = tables.selectFrom("node").select("id");
  return rowOf(
    connection,
    tables.selectNoFrom([
      exists(tables.selectFrom("host").select("id").where("id", "=", hostId)).as("host"),
      exists(nodes.where("host_id", "=", hostId).where("name", "=", node)).as("node"),
      target.select("name").as("targetName"),
      target.select("maintenance").as("targetMaintenance"),
      exists(nodes.where("host_id", "=", targetHostId).where("name", "=", targetNode)).as("targetNode"),
      exists(
        tables.selectFrom("ip_zone").select("id").where("host_id", "=", targetHostId).where("id", "=", ipZoneId),
      ).as("zone"),
    ]),
  );
}
