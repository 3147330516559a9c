// Changes of hosts.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Mutation, Resolver } from "type-graphql";
import { permit, permitEverywhere, permitHost } from "../src/access/permit.js";
import { createAgentToken, type NewAgentToken } from "../src/actions/host/agentToken.js";
import { addHost, removeHost, setMaintenance, syncHostNow, updateHost } from "../src/actions/host/host.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { hosts } from "../src/reads/models/host.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { CreatedAgentToken } from "../schema/apiToken.js";
import { Host } from "../schema/host.js";
import { NewHostArguments, HostChangeArguments } from "../schema/hostInput.js";
import { selectOne } from "./selectOne.js";

@ArgsType()
class AgentTokenArguments {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;
}

/** @throws DroverError unauthenticated, forbidden */
function permitManaging(context: Context, hostId: number): void {
  permit(context, Permission.HOSTS_MANAGE);
  permitHost(context, hostId);
}

@Resolver(() => Host)
export class HostMutations {
  @Mutation(() => Host, {
    description:
      "Connects a host by API token (tokenId, tokenSecret) or by the user's password, after it has answered, and reads its inventory. Without a fingerprint the system must trust its certificate. Needs `hosts.manage`. Refused with `CONFLICT` (`HOST_EXISTS`: its name, its address or one of its machines is connected already, as through another member of its cluster), or `PLATFORM_ERROR` if the host does not answer or refuses the credential.",
  })
  async addHost(
    @Args(() => NewHostArguments) { port, ...connection }: NewHostArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permit(context, Permission.HOSTS_MANAGE);
    permitEverywhere(context, "A new host");
    const id = await addHost(context, { ...connection, port: port ?? DEFAULT_PORT });
    return selectOne(context, info, { model: hosts, id });
  }

  @Mutation(() => Host, {
    description:
      "Changes a host; what is left out stays. A changed connection is tried first; another hostname or port requires the secret again, unless the pinned certificate stays. It is not switched off while guests are being moved from or to it. Needs `hosts.manage`. Refused with `CONFLICT` (`HOST_EXISTS`, `HOST_BUSY`) or `PLATFORM_ERROR`.",
  })
  async updateHost(
    @Args(() => HostChangeArguments) { id, ...change }: HostChangeArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permitManaging(context, id);
    await updateHost(context, id, withoutNulls(change));
    return selectOne(context, info, { model: hosts, id });
  }

  @Mutation(() => Boolean, {
    description:
      "Removes a host with everything known of it; nothing is changed on the platform. Needs `hosts.manage`. Refused with `CONFLICT` (`HOST_BUSY`) while jobs work on it.",
  })
  async removeHost(
    @Arg("id", () => Int, { description: "Id of the host." }) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    permitManaging(context, id);
    await removeHost(context, id);
    return true;
  }

  @Mutation(() => Host, {
    description:
      "Reads a host's inventory now and returns when that is done. Needs `hosts.manage`. Refused with `CONFLICT` (`HOST_INACTIVE`, `HOST_SECRET_UNREADABLE`) or `PLATFORM_ERROR`.",
  })
  async syncHost(
    @Arg("id", () => Int, { description: "Id of the host." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permitManaging(context, id);
    await syncHostNow(context, id);
    return selectOne(context, info, { model: hosts, id });
  }

  @Mutation(() => Host, {
    description: "Turns maintenance on or off; while it is on, the host gets no new guests. Needs `hosts.manage`.",
  })
  async setMaintenance(
    @Arg("hostId", () => Int, { description: "Id of the host." }) hostId: number,
    @Arg("on", () => Boolean, { description: "On or off." }) on: boolean,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permitManaging(context, hostId);
    await setMaintenance(context, hostId, on);
    return selectOne(context, info, { model: hosts, id: hostId });
  }

  @Mutation(() => CreatedAgentToken, {
    description: "Makes the token of a node's agent; the previous one is revoked at once. Needs `hosts.manage`.",
  })
  createAgentToken(
    @Args(() => AgentTokenArguments) { hostId, node }: AgentTokenArguments,
    @Ctx() context: Context,
  ): Promise<NewAgentToken> {
    permitManaging(context, hostId);
    return createAgentToken(context, hostId, node);
  }
}

const DEFAULT_PORT = 8006;

type WithoutNulls<Value> = { [Key in keyof Value]?: Exclude<Value[Key], null> };

/** For arguments, null means the same as left out. */
function withoutNulls<Value extends object>(given: Value): WithoutNulls<Value> {
  const entries = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same properties, but for the nulls
  return Object.fromEntries(entries) as WithoutNulls<Value>;
}
