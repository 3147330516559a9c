// Reads one record by its id, with the fields that the client asked for: a query's, or one that an action has just changed.
import { OperationTypeNode, type GraphQLResolveInfo } from "graphql";
import type { Context } from "../src/context/context.js";
import { notFound } from "../src/errors/errors.js";
import { nameOfRecord, type ReadModel } from "../src/reads/engine/model.js";
import { selectRow, type ReadRow } from "../src/reads/engine/read.js";
import { readChanged } from "./readChanged.js";

/** Which record: its id and, when it is not the answer itself, the field of the answer that holds it. */
interface WhichRecord {
  readonly model: ReadModel;
  readonly id: number;
  readonly field?: string;
}

/** @throws DroverError notFound when the viewer sees none of this id, or when somebody else has removed it meanwhile */
export async function selectOne(
  context: Context,
  info: GraphQLResolveInfo,
  { model, id, field }: WhichRecord,
): Promise<ReadRow> {
  const read = () =>
    selectRow(context, model, info, {
      where: [(record, value) => `${record}.id = ${value(id)}`],
      path: field === undefined ? [] : [field],
    });
  const row = await (info.operation.operation === OperationTypeNode.MUTATION ? readChanged(read) : read());
  if (row === null) throw notFound(`${nameOfRecord(model)} ${id}`);
  return row;
}
