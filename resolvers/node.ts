// Queries of nodes, and the history of their load.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Int, Query, Resolver, Root } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { notFound } from "../src/errors/errors.js";
import { keyOfField } from "../src/reads/engine/compile.js";
import { nodeClauses, nodeOrder, nodes } from "../src/reads/models/node.js";
import { selectRow, type ReadRow, type RowPage } from "../src/reads/engine/read.js";
import { requireAll } from "../src/reads/engine/requirement.js";
import { hostExists, nodeExists } from "../src/reads/models/requirements.js";
import { NodeStatus } from "../schema/enums.js";
import { Node, NodePage, NodeSample } from "../schema/node.js";
import { PageArguments } from "../schema/page.js";
import { selectPaged } from "./paging.js";

@ArgsType()
class NodesArguments extends PageArguments {
  @Field(() => Int, { nullable: true, description: "Id of the host; left out: the nodes of all hosts." })
  readonly hostId?: number | null;

  @Field(() => Int, { nullable: true, description: "Only nodes of other hosts than this." })
  readonly otherThanHostId?: number | null;

  @Field(() => NodeStatus, { nullable: true, description: "Only nodes of this status." })
  readonly status?: NodeStatus | null;

  @Field(() => Boolean, { nullable: true, description: "Only nodes above a threshold of the settings, or none." })
  readonly hot?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Only nodes whose agent calls itself healthy, or does not." })
  readonly agentHealthy?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: "Only nodes of which `host / node` contains this (upper and lower case alike).",
  })
  readonly search?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: "Those whose RAM or average CPU is the largest part of its threshold of the settings first.",
  })
  readonly hottestFirst?: boolean | null;
}

@Resolver(() => Node)
export class NodeResolver {
  @Query(() => NodePage, {
    description: "Nodes of a host or of all hosts, by host and name unless the hottest are to come first.",
  })
  nodes(
    @Args(() => NodesArguments) args: NodesArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_READ);
    const hostId = args.hostId ?? null;
    if (hostId !== null) permitHost(context, hostId);
    return selectPaged(context, nodes, info, {
      args,
      requires: hostId === null ? [] : [hostExists(hostId)],
      where: nodeClauses(args, context.clock.now()),
      orderBy: nodeOrder(args.hottestFirst === true, context.clock.now()),
    });
  }

  @Query(() => Node, { description: "One node of a host." })
  async node(
    @Arg("hostId", () => Int, { description: "Id of the host." }) hostId: number,
    @Arg("name", () => String, { description: "Name of the node." }) name: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
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
    @Root() node: ReadRow,
    @Info() info: GraphQLResolveInfo,
    @Arg("minutes", () => Int, { nullable: true, defaultValue: 60, description: "How far to look back, minutes." })
    _minutes: number,
  ): unknown {
    return node[keyOfField(info)];
  }
}
