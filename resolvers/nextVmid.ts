// The query for the next free VMID of a host.
import { Arg, Ctx, Int, Query, Resolver } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { lowestFreeVmid } from "../src/reads/models/nextVmid.js";
import { requireAll } from "../src/reads/engine/requirement.js";
import { hostExists } from "../src/reads/models/requirements.js";

@Resolver()
export class NextVmidResolver {
  @Query(() => Int, {
    description:
      "The lowest VMID of a host's range that is neither in use nor reserved, and that the host has not refused within the hour. Asking does not reserve it. `CONFLICT` when the range has none.",
  })
  async nextVmid(
    @Arg("hostId", () => Int, { description: "Id of the host." }) hostId: number,
    @Ctx() context: Context,
  ): Promise<number> {
    permit(context, Permission.HOSTS_READ);
    permitHost(context, hostId);
    await requireAll(context, [hostExists(hostId)]);
    return lowestFreeVmid(context.pool, hostId);
  }
}
