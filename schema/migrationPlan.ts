// The GraphQL view of the plan of a move: what the operator sees, and decides on, before it starts.
import { Field, Float, InputType, Int, ObjectType, registerEnumType } from "type-graphql";
import { MigrationMode, Severity } from "../src/core/enums.js";
import { Guest } from "./guest.js";
import { IpPlanView } from "./ipPlan.js";
import { SafeInt } from "./scalars.js";

registerEnumType(MigrationMode, {
  name: "MigrationMode",
  description: "How a guest moves.",
  valuesConfig: {
    LIVE: { description: "A running machine: it is paused briefly at the end." },
    RESTART: { description: "A running container: it is stopped for the transfer and started on the target." },
    OFFLINE: { description: "A stopped guest: it stays stopped." },
  },
});
registerEnumType(Severity, {
  name: "Severity",
  description: "The outcome of one check of a plan.",
  valuesConfig: {
    BLOCKING: { description: "The move cannot start." },
    WARNING: { description: "The move can start, but the operator should know this." },
    PASSED: { description: "The check found nothing." },
  },
});

@ObjectType("Check", { simpleResolvers: true, description: "One named check of a plan." })
export class CheckView {
  @Field(() => String, { description: "Stable code, such as `HAS_SNAPSHOTS`." })
  readonly code!: string;

  @Field(() => Severity, { description: "What it means for the move." })
  readonly severity!: Severity;

  @Field(() => String, { description: "What was found, for people." })
  readonly message!: string;
}

@ObjectType("MappingChoice", { simpleResolvers: true, description: "Where one storage or bridge of the guest goes." })
export class MappingChoiceView {
  @Field(() => String, { description: "Name on the source." })
  readonly source!: string;

  @Field(() => String, { nullable: true, description: "Name on the target; null while nothing is chosen." })
  readonly target!: string | null;

  @Field(() => [String], { description: "Choices on the target." })
  readonly options!: readonly string[];

  @Field(() => Boolean, { description: "Whether the service chose, not the operator." })
  readonly preselected!: boolean;
}

@ObjectType("PortForwardMove", { simpleResolvers: true, description: "What happens to one port forward." })
export class PortForwardMoveView {
  @Field(() => Int, { description: "Id of the forward." })
  readonly forwardId!: number;

  @Field(() => String, { description: "`tcp` or `udp`." })
  readonly protocol!: string;

  @Field(() => Int, { description: "Public port on the source's node." })
  readonly publicPort!: number;

  @Field(() => Int, { description: "Public port on the target's node." })
  readonly newPublicPort!: number;

  @Field(() => Boolean, { description: "Whether it is given up." })
  readonly dropped!: boolean;

  @Field(() => String, { description: "Why, for people." })
  readonly explanation!: string;
}

@ObjectType({ simpleResolvers: true, description: "A move in figures." })
export class MigrationSummary {
  @Field(() => SafeInt, {
    description: "Bytes of disks whose size is known, and of RAM when the guest keeps running. See `unsizedDisks`.",
  })
  readonly bytesToCopy!: number;

  @Field(() => [String], {
    description: "Disks of unknown size, such as `scsi0`: what they take comes on top of `bytesToCopy`.",
  })
  readonly unsizedDisks!: readonly string[];

  @Field(() => Int, {
    nullable: true,
    description: "Average of earlier successful moves on the route; null: duration unknown.",
  })
  readonly expectedSeconds!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "Bytes a second that the route has shown in this mode: the bytes of its newest 20 successful moves in the mode, each of at " +
      "least 1 GiB, divided by their seconds from start to end. Moves with a stricter bandwidth limit than this one are left " +
      "out, and the figure is never more than this one's limit. null: the route has shown nothing in this mode.",
  })
  readonly bytesPerSecond!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "`bytesToCopy` divided by `bytesPerSecond`, seconds; null: the latter is null, or there are disks of unknown size " +
      "(`unsizedDisks`).",
  })
  readonly transferSeconds!: number | null;

  @Field(() => String, { description: "What users of the guest will notice." })
  readonly downtime!: string;

  @Field(() => Int, { description: "How many checks were made." })
  readonly checkCount!: number;
}

@ObjectType("MigrationPlan", { simpleResolvers: true, description: "The plan of a move." })
export class MigrationPlanView {
  @Field(() => Guest, { description: "The guest." })
  readonly guest!: Guest;

  @Field(() => Int, { description: "Id of the target host." })
  readonly targetHostId!: number;

  @Field(() => String, { description: "Name of the target node." })
  readonly targetNode!: string;

  @Field(() => Int, { description: "VMID on the target." })
  readonly targetVmid!: number;

  @Field(() => MigrationMode, { description: "How it moves, by what it does now." })
  readonly mode!: MigrationMode;

  @Field(() => MigrationSummary, { description: "In figures." })
  readonly summary!: MigrationSummary;

  @Field(() => [MappingChoiceView], { description: "Where the disks go, by storage." })
  readonly storages!: readonly MappingChoiceView[];

  @Field(() => [MappingChoiceView], { description: "Where the network cards go, by bridge." })
  readonly bridges!: readonly MappingChoiceView[];

  @Field(() => IpPlanView, { description: "What happens to its address." })
  readonly ipPlan!: IpPlanView;

  @Field(() => [PortForwardMoveView], { description: "What happens to its port forwards." })
  readonly portForwards!: readonly PortForwardMoveView[];

  @Field(() => [CheckView], { description: "What blocks the move." })
  readonly problems!: readonly CheckView[];

  @Field(() => [CheckView], { description: "What should be known before." })
  readonly warnings!: readonly CheckView[];

  @Field(() => [CheckView], { description: "What is in order." })
  readonly passed!: readonly CheckView[];

  @Field(() => Boolean, { description: "Whether nothing blocks." })
  readonly startable!: boolean;
}

@InputType({ description: "The choice for one storage or bridge." })
export class MapEntry {
  @Field(() => String, { description: "Name on the source." })
  readonly source!: string;

  @Field(() => String, { description: "Name on the target." })
  readonly target!: string;
}

@InputType({ description: "The move of a guest to a node of another host." })
export class MigrationInput {
  @Field(() => Int, { description: "Id of the guest." })
  readonly guestId!: number;

  @Field(() => Int, { description: "Id of the target host." })
  readonly targetHostId!: number;

  @Field(() => String, { description: "Name of the target node." })
  readonly targetNode!: string;

  @Field(() => Int, { nullable: true, description: "VMID on the target; its own or the next free one when left out." })
  readonly targetVmid?: number | null;

  @Field(() => [MapEntry], { nullable: true, description: "Storages; equal names are preselected." })
  readonly storageMap?: readonly MapEntry[] | null;

  @Field(() => [MapEntry], { nullable: true, description: "Bridges; equal names are preselected." })
  readonly bridgeMap?: readonly MapEntry[] | null;

  @Field(() => Int, { nullable: true, description: "Id of the zone on the target for its address." })
  readonly ipZoneId?: number | null;

  @Field(() => Boolean, { nullable: true, description: "Give the port forwards up." })
  readonly dropPortForwards?: boolean | null;

  @Field(() => Int, { nullable: true, description: "Limit of the transfer in MiB/s; the setting when left out." })
  readonly bandwidthMib?: number | null;
}
