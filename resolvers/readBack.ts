// Reads the record that an action has just made or changed, with the fields that the client asked for.
import type { GraphQLResolveInfo } from "graphql";
import type { Context } from "../src/context.js";
import { notFound } from "../src/errors.js";
import type { ReadModel } from "../src/reads/model.js";
import { selectRow, type Row } from "../src/reads/read.js";

/** Which record: its id and, when it is not the answer itself, the field of the answer that holds it. */
export interface Written {
  readonly model: ReadModel;
  readonly id: number;
  readonly field?: string;
}

/** @throws DroverError notFound when somebody else has removed it meanwhile */
export async function readBack(
  context: Context,
  info: GraphQLResolveInfo,
  { model, id, field }: Written,
): Promise<Row> {
  const row = await selectRow(context, model, info, {
    where: [(record, value) => `${record}.id = ${value(id)}`],
    path: field === undefined ? [] : [field],
  });
  if (row === null) throw notFound(`${model.type} ${id}`);
  return row;
}
