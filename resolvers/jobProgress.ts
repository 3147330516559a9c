// The subscription that follows one job to its end.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Int, Resolver, Root, Subscription } from "type-graphql";
import { permitSignedIn } from "../src/access/permit.js";
import type { Context } from "../src/context.js";
import { JobStatus } from "../src/core/enums.js";
import { notFound } from "../src/errors.js";
import { jobClauses, jobs } from "../src/reads/job.js";
import { selectRow, type Row } from "../src/reads/read.js";
import { Job } from "../schema/job.js";
import type { ChangedIds } from "./changedIds.js";
import { liveRows } from "./liveRows.js";

/** One subscriber's question. */
interface Asked {
  readonly context: Context;
  readonly args: { readonly id: number };
  readonly info: GraphQLResolveInfo;
}

@Resolver(() => Job)
export class JobProgress {
  @Subscription(() => Job, {
    description: "The job's current state first, then every change; ends when the job has ended.",
    subscribe: follow,
  })
  jobProgress(@Root() job: Row, @Arg("id", () => Int, { description: "Id of the job." }) _id: number): Row {
    return job;
  }
}

async function follow(asked: Asked): Promise<AsyncIterableIterator<Row>> {
  const { id } = asked.args;
  permitSignedIn(asked.context);
  // Refused here, before a stream has begun: that is told as an error of the operation, not of its first event.
  if ((await read(asked)) === null) throw notFound(`Job ${id}`);
  const hearing = {
    job: (changedId: number, changed: ChangedIds) => changedId === id && changed.add([id]),
    missed: (_: number, changed: ChangedIds) => changed.add([id]),
  };
  return liveRows(asked.context, hearing, (changed) => states(asked, changed));
}

/** Ends with the job, or when the viewer may no longer see it. */
async function* states(asked: Asked, changed: ChangedIds): AsyncGenerator<Row, void> {
  let told = "";
  for (changed.add([asked.args.id]); (await changed.take(1)).length > 0;) {
    const job = await read(asked);
    if (job === null) return;
    const state = JSON.stringify(job);
    // An announcement may be of a change that an earlier reading already saw.
    if (state !== told) yield job;
    told = state;
    if (job["status"] === JobStatus.DONE || job["status"] === JobStatus.FAILED) return;
  }
}

const read = ({ context, args, info }: Asked): Promise<Row | null> =>
  selectRow(context, jobs, info, { where: jobClauses({ id: args.id }), also: ["status"] });
