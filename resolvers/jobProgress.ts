// The subscription that follows one job to its end.
import { Arg, Int, Resolver, Root, Subscription } from "type-graphql";
import { permitSignedIn } from "../src/access/permit.js";
import { JobStatus } from "../src/core/enums.js";
import { jobs } from "../src/reads/models/job.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { Job } from "../schema/job.js";
import { followOne } from "./followOne.js";
import type { RowEvent } from "./liveRows.js";

@Resolver(() => Job)
export class JobProgress {
  @Subscription(() => Job, {
    description: "The job's current state first, then every change; ends when the job has ended.",
    subscribe: followOne({
      model: jobs,
      topic: "job",
      permit: permitSignedIn,
      endField: "status",
      hasEnded: (status) => status === JobStatus.DONE || status === JobStatus.FAILED,
    }),
  })
  jobProgress(
    @Root() { row }: RowEvent,
    @Arg("id", () => Int, { description: "Id of the job." }) _id: number,
  ): ReadRow {
    return row;
  }
}
