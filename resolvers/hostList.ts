// Reads lists that belong to hosts: what a host has, and what a filter narrows to some hosts.
import type { GraphQLResolveInfo } from "graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import type { ReadModel } from "../src/reads/engine/model.js";
import type { ListRead, RowPage } from "../src/reads/engine/read.js";
import type { Requirement } from "../src/reads/engine/requirement.js";
import { hostExists, hostsExist } from "../src/reads/models/requirements.js";
import type { HostListArguments } from "../schema/lookup.js";
import { selectPaged } from "./paging.js";

/** A list field's arguments beside what they mean as SQL. */
interface HostList extends ListRead {
  readonly args: HostListArguments;
}

/**
 * Reads one page of a model whose rows have a `host_id`.
 * @throws DroverError unauthenticated, forbidden, notFound (host), validation
 */
export function selectOfHost(
  context: Context,
  model: ReadModel,
  info: GraphQLResolveInfo,
  { args, where = [], orderBy }: HostList,
): Promise<RowPage> {
  permit(context, Permission.HOSTS_READ);
  permitHost(context, args.hostId);
  return selectPaged(context, model, info, {
    args,
    requires: [hostExists(args.hostId)],
    where: [(row, value) => `${row}.host_id = ${value(args.hostId)}`, ...where],
    orderBy,
  });
}

/**
 * Checks the hosts that a filter names.
 * @returns what must be there: customers see no hosts, only what is theirs, so that for them an id merely narrows the list
 * @throws DroverError forbidden
 */
export function permitHostFilter(context: Context, hostIds: readonly number[] | null | undefined): Requirement[] {
  const ids = hostIds ?? [];
  for (const id of ids) permitHost(context, id);
  return ids.length > 0 && context.viewer.permissions.has(Permission.HOSTS_READ) ? [hostsExist(ids)] : [];
}
