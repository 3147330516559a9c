// Requests to create, change and delete guests.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, Ctx, Info, Int, Mutation, Resolver } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import { assignGuest } from "../src/actions/guest/assignGuest.js";
import { createGuest } from "../src/actions/guest/createGuest.js";
import type { QueuedGuest } from "../src/placement/creation.js";
import { deleteGuest } from "../src/actions/guest/deleteGuest.js";
import { powerGuest } from "../src/actions/guest/power.js";
import { reinstallGuest } from "../src/actions/guest/reinstallGuest.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { guests } from "../src/reads/models/guest.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { Guest } from "../schema/guest.js";
import { GuestArguments, PowerArguments } from "../schema/guestArguments.js";
import { GuestCreateInput, GuestReinstallInput } from "../schema/guestInput.js";
import { QueuedGuestView, QueuedJobView } from "../schema/job.js";
import { PowerResult } from "../schema/task.js";
import { selectOne } from "./selectOne.js";

@Resolver()
export class GuestMutations {
  @Mutation(() => QueuedGuestView, {
    description:
      "Queues the creation of a guest on a host, or on the best of all hosts in scope. Needs `guests.create`. Refused with `VALIDATION_FAILED`, which names every wrong field, or `CONFLICT` (`HOST_IN_MAINTENANCE`, `HOST_INACTIVE`, `NO_QUORUM`, `VMID_TAKEN`, `IP_ZONE_FULL`, `NO_NODE_HAS_ROOM`).",
  })
  async createGuest(
    @Arg("hostId", () => Int, { nullable: true, description: "Id of the host; the node must be `auto` without one." })
    hostId: number | null,
    @Arg("input", () => GuestCreateInput, { description: "The guest." }) input: GuestCreateInput,
    @Ctx() context: Context,
  ): Promise<QueuedGuest> {
    permit(context, Permission.GUESTS_CREATE);
    if (typeof hostId === "number") permitHost(context, hostId);
    return createGuest(context, hostId ?? null, input);
  }

  @Mutation(() => PowerResult, {
    description:
      "Changes a guest's power at once; the platform's task runs on. Needs `guests.operate`. Refused with `CONFLICT` (`GUEST_BUSY`, `SAFETY_COPY`, `IS_TEMPLATE`, `HOST_INACTIVE`) or `PLATFORM_ERROR`.",
  })
  powerGuest(@Args(() => PowerArguments) order: PowerArguments, @Ctx() context: Context): Promise<PowerResult> {
    permit(context, Permission.GUESTS_OPERATE);
    permitHost(context, order.hostId);
    return powerGuest(context, order);
  }

  @Mutation(() => QueuedJobView, {
    description:
      "Queues the reinstallation of a guest, which keeps its VMID, size, addresses, owner, pool, place in backup jobs, firewall and access rules; a privileged container stays one. The guest is started at the end, also one that was stopped, because its password, keys and addresses are set up when it starts. The job fails, with the guest as it was, when the guest has further disks, is protected, locked, replicated or managed by high availability, or has what the host's connection could not give the new one: settings that only root@pam can give, access rules that it may not write, firewall rules that the platform finds wrong. Needs `guests.operate`. Refused with `VALIDATION_FAILED`, which names every wrong field, or `CONFLICT` (`GUEST_BUSY`, `SAFETY_COPY`, `IS_TEMPLATE`, `HOST_INACTIVE`).",
  })
  reinstallGuest(
    @Args(() => GuestArguments) guest: GuestArguments,
    @Arg("input", () => GuestReinstallInput, { description: "What to install." }) input: GuestReinstallInput,
    @Ctx() context: Context,
  ): Promise<QueuedJobView> {
    return reinstallGuest(context, guest, input);
  }

  @Mutation(() => QueuedJobView, {
    description:
      "Queues the deletion of a guest, also of a safety copy. Needs `guests.create`. Refused with `CONFLICT` (`GUEST_BUSY`, `IS_TEMPLATE`, `HOST_INACTIVE`).",
  })
  deleteGuest(@Args(() => GuestArguments) guest: GuestArguments, @Ctx() context: Context): Promise<QueuedJobView> {
    return deleteGuest(context, guest);
  }

  @Mutation(() => Guest, {
    description:
      "Gives a guest to a user. Needs `users.manage`. Refused with `CONFLICT` (`GUEST_BUSY`, `SAFETY_COPY`, `IS_TEMPLATE`).",
  })
  async assignGuest(
    @Arg("userId", () => Int, { description: "Id of the user." }) userId: number,
    @Args(() => GuestArguments) guest: GuestArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    return selectOne(context, info, { model: guests, id: await assignGuest(context, userId, guest) });
  }
}
