// The query that follows a task of the platform.
import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import { readTask, type TaskAnswer } from "../src/actions/readTask.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { requireAll } from "../src/reads/engine/requirement.js";
import { hostExists, nodeExists, taskIsOwn } from "../src/reads/models/requirements.js";
import { requestedFields } from "../src/reads/engine/selection.js";
import { HypervisorTask } from "../schema/task.js";

@ArgsType()
class TaskArguments {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node that runs the task." })
  readonly node!: string;

  @Field(() => String, { description: "Id of the task on the platform." })
  readonly upid!: string;
}

interface TaskView extends TaskAnswer {
  readonly status: "running" | "stopped";
}

@Resolver(() => HypervisorTask)
export class TaskResolver {
  @Query(() => HypervisorTask, { description: "A task of the platform, as its node reports it now." })
  async task(
    @Args(() => TaskArguments) { hostId, node, upid }: TaskArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<TaskView> {
    permit(context, Permission.HOSTS_READ);
    permitHost(context, hostId);
    await requireAll(context, [hostExists(hostId), nodeExists(hostId, node), taskIsOwn(hostId, upid)]);
    const withLog = requestedFields(info).some(({ name }) => name === "log");
    const task = await readTask(context, { hostId, node, upid, withLog });
    return { ...task, status: task.running ? "running" : "stopped" };
  }
}
