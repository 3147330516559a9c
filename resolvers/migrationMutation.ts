// Starts of migrations.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Info, Int, Mutation, Resolver } from "type-graphql";
import { retryMigration } from "../src/actions/migration/retry.js";
import { startMigration } from "../src/actions/migration/start.js";
import type { Context } from "../src/context/context.js";
import { migrations } from "../src/reads/models/migration.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { Migration } from "../schema/migration.js";
import { MigrationInput } from "../schema/migrationPlan.js";
import { selectOne } from "./selectOne.js";

@Resolver(() => Migration)
export class MigrationMutations {
  @Mutation(() => Migration, {
    description:
      "Queues the move of a guest. Needs `hosts.manage`. Refused with `CONFLICT`, the reason being the code of the first check that blocks it, or `PLAN_OUTDATED`, `GUEST_BUSY`, `GUEST_GONE`, `SAFETY_COPY`, `VMID_TAKEN` if that VMID was asked for, `NOT_ENOUGH_MEMORY` or `NOT_ENOUGH_STORAGE` if others have just taken the room, `ADDRESS_TAKEN` if the guest was to keep its address, `IP_ZONE_FULL`, `IP_ZONE_MISSING`; or with `PLATFORM_ERROR` if the source does not answer.",
  })
  async startMigration(
    @Arg("input", () => MigrationInput, { description: "The move." }) input: MigrationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    const id = await startMigration(context, input);
    return selectOne(context, info, { model: migrations, id });
  }

  @Mutation(() => Migration, {
    description:
      "Repeats a move that failed or ended with warnings; if the guest was transferred, nothing is copied again. Before the transfer a VMID or an address that the service chose, and that is taken by now, gives way to the next free one. Needs `hosts.manage`. Refused with `CONFLICT` (`NOT_RETRYABLE`, `UNREADABLE`, `GUEST_BUSY`, `VMID_TAKEN`, `NOT_ENOUGH_MEMORY`, `NOT_ENOUGH_STORAGE`, `ADDRESS_TAKEN`, `IP_ZONE_FULL`, `IP_ZONE_MISSING`).",
  })
  async retryMigration(
    @Arg("id", () => Int, { description: "Id of the migration." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    await retryMigration(context, id);
    return selectOne(context, info, { model: migrations, id });
  }
}
