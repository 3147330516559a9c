// The GraphQL view of the service's settings, and the input that changes them.
import { Field, Float, InputType, Int, ObjectType } from "type-graphql";

@ObjectType({ simpleResolvers: true, description: "What governs placement, balancing and retention." })
export class Settings {
  @Field(() => Float, { description: "Weight of free RAM in placement; only the ratio of the weights matters." })
  readonly ramWeight!: number;

  @Field(() => Float, { description: "Weight of idle CPU in placement." })
  readonly cpuWeight!: number;

  @Field(() => Float, { description: "Weight of free storage in placement." })
  readonly storageWeight!: number;

  @Field(() => Float, { description: "A node with more RAM in use is hot, percent." })
  readonly ramThresholdPercent!: number;

  @Field(() => Float, { description: "A node with a higher 30-minute CPU average is hot, percent." })
  readonly cpuThresholdPercent!: number;

  @Field(() => Int, { description: "Most balancing suggestions in one report." })
  readonly maxSuggestions!: number;

  @Field(() => Int, { description: "Days that a safety copy is kept." })
  readonly safetyCopyRetentionDays!: number;

  @Field(() => Int, { description: "Days that the request log is kept." })
  readonly requestLogRetentionDays!: number;

  @Field(() => Int, { description: "Days that it stays on record who held an address, after that has ended." })
  readonly addressHistoryRetentionDays!: number;

  @Field(() => Int, { nullable: true, description: "Most bandwidth of a migration, MiB/s; null: the platform's own." })
  readonly migrationBandwidthMib!: number | null;
}

@InputType({ description: "Settings to change; what is left out stays as it is." })
export class SettingsInput {
  @Field(() => Float, { nullable: true, description: "Weight of free RAM, 0 or more." })
  readonly ramWeight?: number | null;

  @Field(() => Float, { nullable: true, description: "Weight of idle CPU, 0 or more." })
  readonly cpuWeight?: number | null;

  @Field(() => Float, { nullable: true, description: "Weight of free storage, 0 or more." })
  readonly storageWeight?: number | null;

  @Field(() => Float, { nullable: true, description: "RAM threshold, above 0 up to 100 percent." })
  readonly ramThresholdPercent?: number | null;

  @Field(() => Float, { nullable: true, description: "CPU threshold, above 0 up to 100 percent." })
  readonly cpuThresholdPercent?: number | null;

  @Field(() => Int, { nullable: true, description: "Most balancing suggestions in one report, at least 1." })
  readonly maxSuggestions?: number | null;

  @Field(() => Int, { nullable: true, description: "Days that a safety copy is kept, 0 or more." })
  readonly safetyCopyRetentionDays?: number | null;

  @Field(() => Int, { nullable: true, description: "Days that the request log is kept, at least 1." })
  readonly requestLogRetentionDays?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: "Days that it stays on record who held an address, after that has ended; at least 1.",
  })
  readonly addressHistoryRetentionDays?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: "Most bandwidth of a migration, MiB/s, at least 1; null: the platform's own.",
  })
  readonly migrationBandwidthMib?: number | null;
}
