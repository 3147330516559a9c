// Queries of jobs, and what is done about parked ones.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Mutation, Query, Resolver } from "type-graphql";
import { permitHost, permitSignedIn } from "../src/access/permit.js";
import { giveUpJob, retryJob } from "../src/actions/job/parkedJob.js";
import type { Context } from "../src/context/context.js";
import { notFound } from "../src/errors/errors.js";
import { jobClauses, jobs } from "../src/reads/models/job.js";
import { selectRow, type ReadRow, type RowPage } from "../src/reads/engine/read.js";
import { Job, JobFilter, JobPage } from "../schema/job.js";
import { PageArguments } from "../schema/page.js";
import { permitHostFilter } from "./hostList.js";
import { selectPaged } from "./paging.js";
import { selectOne } from "./selectOne.js";

@ArgsType()
class JobListArguments extends PageArguments {
  @Field(() => JobFilter, { nullable: true, description: "Which jobs; all when left out." })
  readonly filter?: JobFilter | null;
}

@Resolver(() => Job)
export class JobMutations {
  @Mutation(() => Job, {
    description:
      "Has a parked job go on where it stands. Needs `hosts.manage`. Refused with `CONFLICT` (`NOT_PARKED`, or `UNREADABLE` while this version cannot read it either).",
  })
  async retryJob(
    @Arg("id", () => Int, { description: "Id of the job." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    await retryJob(context, id);
    return selectOne(context, info, { model: jobs, id });
  }

  @Mutation(() => Job, {
    description:
      "Gives up a parked job: gives back its guest, VMID, addresses and room, and does nothing on any host. Needs `hosts.manage`. Refused with `CONFLICT` (`NOT_PARKED`).",
  })
  async giveUpJob(
    @Arg("id", () => Int, { description: "Id of the job." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    await giveUpJob(context, id);
    return selectOne(context, info, { model: jobs, id });
  }
}

@Resolver(() => Job)
export class JobQueries {
  @Query(() => Job, { description: "One job." })
  async job(
    @Arg("id", () => Int, { description: "Id of the job." }) id: number,
    @Arg("hostId", () => Int, { nullable: true, description: "The job must be one of this host." })
    hostId: number | null,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permitSignedIn(context);
    if (typeof hostId === "number") permitHost(context, hostId);
    const hostIds = typeof hostId === "number" ? [hostId] : null;
    const found = await selectRow(context, jobs, info, { where: jobClauses({ ids: [id], hostIds }) });
    if (found === null) throw notFound(`Job ${id}`);
    return found;
  }

  @Query(() => JobPage, { description: "Jobs that the caller may see, newest first." })
  jobs(
    @Args(() => JobListArguments) args: JobListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permitSignedIn(context);
    return selectPaged(context, jobs, info, {
      args,
      requires: permitHostFilter(context, args.filter?.hostIds),
      where: jobClauses(args.filter ?? {}),
      orderBy: (job) => `${job}.id desc`,
    });
  }
}
