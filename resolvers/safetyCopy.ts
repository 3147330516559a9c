// Deletions of safety copies.
import { Arg, Ctx, Int, Mutation, Resolver } from "type-graphql";
import { deleteSafetyCopies } from "../src/actions/guest/safetyCopy.js";
import type { Context } from "../src/context/context.js";
import { QueuedJobView } from "../schema/job.js";

@Resolver()
export class SafetyCopyMutations {
  @Mutation(() => [QueuedJobView], {
    description:
      "Queues the deletion of safety copies, all of them or none. Needs `hosts.manage`. Refused with `CONFLICT` (`NOT_A_SAFETY_COPY`, `GUEST_BUSY`, `HOST_INACTIVE`).",
  })
  deleteSafetyCopies(
    @Arg("guestIds", () => [Int], { description: "Ids of the copies." }) guestIds: number[],
    @Ctx() context: Context,
  ): Promise<QueuedJobView[]> {
    return deleteSafetyCopies(context, guestIds);
  }
}
