// Queries of nodes, and the history of their load.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, Ctx, FieldResolver, Info, Int, Query, Resolver, Root } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { notFound } from "../src/errors.js";
import { keyWithArguments } from "../src/reads/compile.js";
import { nodes } from "../src/reads/node.js";
import { selectRow, type Row, type RowPage } from "../src/reads/read.js";
import { hostExists, nodeExists, requireAll } from "../src/reads/requirement.js";
import { HostListArguments } from "../schema/lookup.js";
import { Node, NodePage, NodeSample } from "../schema/node.js";
import { selectOfHost } from "./hostList.js";

@Resolver(() => Node)
export class NodeResolver {
  @Query(() => NodePage, { description: "Nodes of a host, by name." })
  nodes(
    @Args(() => HostListArguments) args: HostListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    return selectOfHost(context, nodes, info, {
      args,
      orderBy: (node) => `${node}.name`,
    });
  }

  @Query(() => Node, { description: "One node of a host." })
  async node(
    @Arg("hostId", () => Int, { description: "Id of the host." }) hostId: number,
    @Arg("name", () => String, { description: "Name of the node." }) name: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row> {
    permit(context, Permission.HOSTS_READ);
    permitHost(context, hostId);
    const found = await selectRow(context, nodes, info, {
      where: [(node, value) => `${node}.host_id = ${value(hostId)}`, (node, value) => `${node}.name = ${value(name)}`],
    });
    if (found === null) await requireAll(context, [hostExists(hostId), nodeExists(hostId, name)]);
    if (found === null) throw notFound(`Node ${name}`);
    return found;
  }

  @FieldResolver(() => [NodeSample], { description: "Load of the last minutes, oldest first." })
  samples(
    @Root() node: Row,
    @Info() info: GraphQLResolveInfo,
    @Arg("minutes", () => Int, { nullable: true, defaultValue: 60, description: "How far to look back, minutes." })
    _minutes: number,
  ): unknown {
    return node[keyWithArguments("samples", String(info.path.key))];
  }
}
