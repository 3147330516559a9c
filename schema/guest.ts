// The GraphQL view of a guest.
import { Field, Float, Int, ObjectType } from "type-graphql";
import { GuestStatus, GuestType } from "./enums.js";
import { Host } from "./host.js";
import { Job } from "./job.js";
import { pageType } from "./page.js";
import { Plan } from "./plan.js";
import { PortForward } from "./portForward.js";
import { DateTime, SafeInt } from "./scalars.js";
import { User } from "./user.js";

@ObjectType({ simpleResolvers: true, description: "A virtual machine or a container." })
export class Guest {
  @Field(() => Int, {
    description: "Permanent id of this guest in the service; a VMID that is used again gets a new one.",
  })
  readonly id!: number;

  @Field(() => Int, { description: "Id of its host." })
  readonly hostId!: number;

  @Field(() => Host, { description: "Its host; needs the permission `hosts.read`." })
  readonly host!: Host;

  @Field(() => String, { description: "Name of the node that it is on." })
  readonly node!: string;

  @Field(() => GuestType, { description: "Virtual machine or container." })
  readonly type!: GuestType;

  @Field(() => Int, { description: "Id on the platform, unique on the host." })
  readonly vmid!: number;

  @Field(() => String, { description: "Name." })
  readonly name!: string;

  @Field(() => GuestStatus, { description: "What it is doing, as last observed." })
  readonly status!: GuestStatus;

  @Field(() => Boolean, { description: "Whether it is a template: it never runs, guests are cloned from it." })
  readonly template!: boolean;

  @Field(() => String, { nullable: true, description: "The platform's lock, such as `backup` or `migrate`." })
  readonly lock!: string | null;

  @Field(() => [String], { description: "Tags on the platform." })
  readonly tags!: readonly string[];

  @Field(() => Int, { description: "CPU cores." })
  readonly cores!: number;

  @Field(() => Int, { description: "Configured RAM, MiB." })
  readonly memoryMb!: number;

  @Field(() => Float, {
    description:
      "Configured disk, GiB, of the disks whose size is known: it has at least that much. See `totalDiskGb`.",
  })
  readonly diskGb!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      "Configured disk, GiB, of all its disks, not the system disk alone; null: unknown, because the host does not tell the size of each.",
  })
  readonly totalDiskGb!: number | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "Disks that the host does not tell the size of, such as `scsi0`: `diskGb` does not count them. Null: its configuration was not read yet.",
  })
  readonly unsizedDisks!: readonly string[] | null;

  @Field(() => Float, {
    nullable: true,
    description: "CPU in use, fraction 0..1 of its own cores; null unless it runs.",
  })
  readonly cpuUsage!: number | null;

  @Field(() => Int, { nullable: true, description: "RAM in use, MiB; null unless it runs." })
  readonly memoryUsedMb!: number | null;

  @Field(() => SafeInt, { nullable: true, description: "Seconds since it started; null unless it runs." })
  readonly uptimeSeconds!: number | null;

  @Field(() => Int, { nullable: true, description: "Id of the user who owns it." })
  readonly ownerId!: number | null;

  @Field(() => User, { nullable: true, description: "The user who owns it." })
  readonly owner!: User | null;

  @Field(() => Int, { nullable: true, description: "Id of its plan." })
  readonly planId!: number | null;

  @Field(() => Plan, { nullable: true, description: "Its plan." })
  readonly plan!: Plan | null;

  @Field(() => [String], { description: "Addresses from IP zones and addresses that its configuration sets." })
  readonly ipAddresses!: readonly string[];

  @Field(() => [PortForward], { description: "Public ports that lead to it." })
  readonly portForwards!: readonly PortForward[];

  @Field(() => Boolean, { description: "Whether it is the stopped original that a migration left." })
  readonly safetyCopy!: boolean;

  @Field(() => DateTime, { nullable: true, description: "When the safety copy is deleted." })
  readonly safetyCopyDeleteAt!: string | null;

  @Field(() => Job, { nullable: true, description: "The job that holds the guest now." })
  readonly activeJob!: Job | null;

  @Field(() => DateTime, { nullable: true, description: "When the platform last showed it." })
  readonly lastSeenAt!: string | null;

  @Field(() => DateTime, { description: "When the service first saw it." })
  readonly createdAt!: string;
}

export const GuestPage = pageType(() => Guest, "GuestPage");
