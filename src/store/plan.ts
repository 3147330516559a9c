// Plans that guests are sold in.
import { insertedId, tables, written, type Connection } from "./tables.js";

/** Sizes: MiB of memory, GiB of disk and of traffic a month. */
interface Plan {
  readonly name: string;
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  /** Null: unlimited. */
  readonly trafficGb: number | null;
  /** Null: unlimited. */
  readonly runtimeDays: number | null;
  /** Left out: a new one is active, one that is changed stays as it is. */
  readonly active?: boolean | undefined;
}

/** @returns the id. @throws the driver's unique violation for a name that another plan has */
export const insert = (connection: Connection, plan: Plan): Promise<number> =>
  insertedId(connection, tables.insertInto("plan").values(columnsOf(plan)).returning("id"));

/** @returns false when there is no such plan. @throws as `insert` */
export async function change(connection: Connection, id: number, plan: Plan): Promise<boolean> {
  return (await written(connection, tables.updateTable("plan").set(columnsOf(plan)).where("id", "=", id))) === 1;
}

const columnsOf = ({ name, cores, memoryMb, diskGb, trafficGb, runtimeDays, active }: Plan) => ({
  name,
  cores,
  memory_mb: memoryMb,
  disk_gb: diskGb,
  traffic_gb: trafficGb,
  runtime_days: runtimeDays,
  active,
});
