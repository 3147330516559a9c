// Reads lists of what nodes have (storages, networks): of a whole host, or of one of its nodes.
import type { GraphQLResolveInfo } from "graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { given } from "../src/reads/engine/criteria.js";
import type { ReadModel } from "../src/reads/engine/model.js";
import type { RowPage } from "../src/reads/engine/read.js";
import type { Requirement } from "../src/reads/engine/requirement.js";
import { hostExists, nodeExists } from "../src/reads/models/requirements.js";
import type { NodeListArguments } from "../schema/lookup.js";
import { selectPaged } from "./paging.js";

/**
 * Checks who asks for a list of what a host's nodes have.
 * @returns what must be there: the host and, where one is named, the node
 * @throws DroverError unauthenticated, forbidden
 */
export function permitNodeList(context: Context, { hostId, node }: NodeListArguments): Requirement[] {
  permit(context, Permission.HOSTS_READ);
  permitHost(context, hostId);
  return [hostExists(hostId), ...(typeof node === "string" ? [nodeExists(hostId, node)] : [])];
}

/**
 * Reads one page of a model whose rows have a `name` and whose FROM joins the node as `<row>_node`, by name, then by node.
 * @throws DroverError unauthenticated, forbidden, notFound (host or node), validation
 */
export function selectOfNodes(
  context: Context,
  model: ReadModel,
  info: GraphQLResolveInfo,
  args: NodeListArguments,
): Promise<RowPage> {
  return selectPaged(context, model, info, {
    args,
    requires: permitNodeList(context, args),
    where: [
      (row, value) => `${row}_node.host_id = ${value(args.hostId)}`,
      ...given(args.node, (row, name) => `${row}_node.name = ${name}`),
    ],
    orderBy: (row) => `${row}.name, ${row}_node.name`,
  });
}
