// Returns the id of a row that was inserted.
import type { QueryResult } from "pg";

/** @param inserting an insert of one row, `returning id` @throws what the statement throws; Error when it inserted nothing */
export async function insertedId<Id>(inserting: Promise<QueryResult<{ id: Id }>>): Promise<Id> {
  const [row] = (await inserting).rows;
  if (row === undefined) throw new Error("An insert of one row returned none");
  return row.id;
}
