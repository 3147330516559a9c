// Reads the page of a list field.
import type { GraphQLResolveInfo } from "graphql";
import type { Context } from "../src/context/context.js";
import { readPage } from "../src/core/paging.js";
import { validationError } from "../src/errors/errors.js";
import type { ReadModel } from "../src/reads/engine/model.js";
import { selectPage, type PageRead, type RowPage } from "../src/reads/engine/read.js";
import { requireAll } from "../src/reads/engine/requirement.js";
import type { PageArguments } from "../schema/page.js";

/** A list field's arguments beside what they mean as SQL. */
interface PagedList extends Omit<PageRead, "page"> {
  readonly args: PageArguments;
}

/**
 * Reads the page that the arguments ask for. A missing record is said before a malformed page.
 * @throws DroverError the first requirement that is not met; validation that names `page` or `perPage`
 */
export async function selectPaged(
  context: Context,
  model: ReadModel,
  info: GraphQLResolveInfo,
  { args, ...list }: PagedList,
): Promise<RowPage> {
  const page = readPage(args);
  if (page.ok) return selectPage(context, model, info, { ...list, page: page.value });
  await requireAll(context, list.requires ?? []);
  throw validationError(page.problems);
}
