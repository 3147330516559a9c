// Says on which nodes of a host a reseller may place guests.
import { permit, permitHost } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { UserRole } from "../../core/enums.js";
import type { Problem } from "../../core/problem.js";
import { inTransaction } from "../../db/transaction.js";
import { notFound, validationError } from "../../errors/errors.js";
import * as resellerNodes from "../../store/resellerNode.js";
import type { AssignmentFacts } from "../../store/resellerNode.js";

/** The reseller's whole set of nodes of this host. */
interface NodeAssignment {
  readonly userId: number;
  readonly hostId: number;
  readonly nodes: readonly string[];
}

/** Nodes of other hosts stay assigned. @throws DroverError notFound (user, host), validation */
export async function assignNodesToReseller(context: Context, assignment: NodeAssignment): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  permitHost(context, assignment.hostId);
  refuseProblems(assignment, await resellerNodes.assignmentFacts(context.pool, assignment));
  await inTransaction(context.pool, (client) => resellerNodes.replace(client, assignment));
}

function refuseProblems({ userId, hostId }: NodeAssignment, facts: AssignmentFacts | null): void {
  if (facts?.hostExists !== true) throw notFound(`Host ${hostId}`);
  if (facts.role === null) throw notFound(`User ${userId}`);
  const problems = [
    ...(facts.role === UserRole.RESELLER ? [] : [{ field: "user_id", message: "is no reseller" }]),
    ...unknownProblems(facts.unknownNodes),
  ];
  if (problems.length > 0) throw validationError(problems);
}

const unknownProblems = (names: readonly string[]): Problem[] =>
  names.length === 0 ? [] : [{ field: "nodes", message: `are no nodes of the host: ${names.join(", ")}` }];
