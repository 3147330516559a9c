// Records that the guest is on the target now.
import * as migrations from "../../src/store/migration.js";
import { lost } from "../engine/journal.js";
import { targetOf, type MigrationContext } from "./context.js";

/** The commit point: from here on the guest is the target's, and all of it is there. @throws Fenced */
export async function markMoved(context: MigrationContext): Promise<void> {
  const { services, job } = context;
  if (!(await migrations.markTransferred(services.pool, job, targetOf(context).node))) throw lost(job);
}
