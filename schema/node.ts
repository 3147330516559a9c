// The GraphQL view of a node, of the agent on it and of its load over time.
import { Field, Float, Int, ObjectType } from "type-graphql";
import { NodeStatus } from "./enums.js";
import { Host } from "./host.js";
import { NetworkView } from "./network.js";
import { pageType } from "./page.js";
import { DateTime, SafeInt } from "./scalars.js";
import { Storage } from "./storage.js";

@ObjectType({ simpleResolvers: true, description: "The program on a node that reports to the service." })
export class Agent {
  @Field(() => String, { nullable: true, description: "Version of the agent; null until it has reported." })
  readonly version!: string | null;

  @Field(() => Boolean, {
    description:
      "Whether its last heartbeat is at most 180 seconds old and its version is one that the service accepts.",
  })
  readonly current!: boolean;

  @Field(() => Boolean, { description: "Whether it reported itself healthy." })
  readonly healthy!: boolean;

  @Field(() => DateTime, { nullable: true, description: "Its last heartbeat." })
  readonly lastSeenAt!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "The load of a node in one minute." })
export class NodeSample {
  @Field(() => DateTime, { description: "When it was sampled." })
  readonly at!: string;

  @Field(() => Float, { description: "CPU in use, fraction 0..1 of the whole node." })
  readonly cpuUsage!: number;

  @Field(() => Int, { description: "RAM in use, MiB." })
  readonly memoryUsedMb!: number;
}

@ObjectType({ simpleResolvers: true, description: "One machine of a host; its name is unique on the host." })
export class Node {
  @Field(() => Int, { description: "Id of its host." })
  readonly hostId!: number;

  @Field(() => Host, { description: "Its host." })
  readonly host!: Host;

  @Field(() => String, { description: "Name, a DNS label." })
  readonly name!: string;

  @Field(() => NodeStatus, { description: "Whether it answered at the last sync." })
  readonly status!: NodeStatus;

  @Field(() => Boolean, { description: "Whether its host is in maintenance." })
  readonly maintenance!: boolean;

  @Field(() => String, { nullable: true, description: "Proxmox VE version of the node." })
  readonly version!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Installed version of `qemu-server`, which decides which nodes can send each other machines; null while it is not known, as without `Sys.Audit` on the node.",
  })
  readonly qemuServerVersion!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The same of `pve-container`, for containers.",
  })
  readonly pveContainerVersion!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Architecture of its processors, such as `amd64` or `arm64`; null while it is not known.",
  })
  readonly architecture!: string | null;

  @Field(() => SafeInt, { nullable: true, description: "Seconds since the node started; null while it is away." })
  readonly uptimeSeconds!: number | null;

  @Field(() => Int, { description: "CPU threads." })
  readonly cpuCores!: number;

  @Field(() => Float, { description: "CPU in use at the last sync, fraction 0..1 of the whole node." })
  readonly cpuUsage!: number;

  @Field(() => Float, {
    nullable: true,
    description: "Average CPU of the last 30 minutes, fraction 0..1; null without a sample in them.",
  })
  readonly cpuAverage30m!: number | null;

  @Field(() => Int, { description: "RAM of the node, MiB." })
  readonly memoryMb!: number;

  @Field(() => Int, { description: "RAM in use, MiB." })
  readonly memoryUsedMb!: number;

  @Field(() => Boolean, {
    description: "Whether the host reports the node's load; else `cpuUsage` and `memoryUsedMb` are 0 and mean nothing.",
  })
  readonly loadKnown!: boolean;

  @Field(() => Int, { description: "Guests on the node that the caller may see, safety copies not counted." })
  readonly guestCount!: number;

  @Field(() => Boolean, { description: "Whether RAM or the 30-minute CPU average is above its threshold." })
  readonly hot!: boolean;

  @Field(() => Boolean, { description: "Whether the node translates addresses, which port forwards need." })
  readonly natConfigured!: boolean;

  @Field(() => String, { nullable: true, description: "Public address of the node, as its agent reported it." })
  readonly publicAddress!: string | null;

  @Field(() => Agent, { nullable: true, description: "The agent; null when none was ever set up." })
  readonly agent!: Agent | null;

  @Field(() => [Storage], { description: "Storages that the node sees, by name." })
  readonly storages!: readonly Storage[];

  @Field(() => [NetworkView], { description: "Bridges and other networks of the node, by name." })
  readonly networks!: readonly NetworkView[];

  @Field(() => [NodeSample], { description: "Load of the last minutes, oldest first." })
  readonly samples!: readonly NodeSample[];
}

export const NodePage = pageType(() => Node, "NodePage");
