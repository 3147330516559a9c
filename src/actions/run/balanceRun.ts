// Starts a balance run of chosen suggestions, after checking that they are still valid.
import type { PoolClient } from "pg";
import { isHostPermitted, permit, permitHost } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { readSuggestionId, type SuggestedMove } from "../../core/balance/suggestionId.js";
import { JobKind } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, validationError } from "../../errors/errors.js";
import { knownGuest, movableGuestSql, type NamedGuest, type MovableGuestRow } from "../../run/movableGuests.js";
import { insertRun, type PlannedItem } from "./run.js";
import * as nodes from "../../store/node.js";
import * as runs from "../../store/run/run.js";

/**
 * Queues the run; each move is checked again at its turn.
 * @returns its id
 * @throws DroverError unauthenticated, forbidden, validation, conflict (`SUGGESTION_OUTDATED`, `GUEST_BUSY`)
 */
export async function startBalanceRun(context: Context, suggestionIds: readonly string[]): Promise<number> {
  permit(context, Permission.HOSTS_MANAGE);
  const moves = readMoves(suggestionIds);
  for (const { fromHostId, toHostId } of moves) {
    permitHost(context, fromHostId);
    permitHost(context, toHostId);
  }
  const { runId, jobId } = await inTransaction(context.pool, async (client) => {
    await runs.lockPlanning(client);
    const items = await plannedItems(context, client, moves);
    return insertRun(context, client, { kind: JobKind.BALANCE_RUN, route: null, scope: context.viewer.hostIds, items });
  });
  context.jobs.wake({ id: jobId, kind: JobKind.BALANCE_RUN });
  return runId;
}

/** @throws DroverError validation that names every bad id by its place */
function readMoves(suggestionIds: readonly string[]): SuggestedMove[] {
  if (suggestionIds.length === 0)
    throw validationError([{ field: FIELD, message: "must name at least one suggestion" }]);
  const moves = suggestionIds.map(readSuggestionId);
  const problems = moves.flatMap((move, place) =>
    move === null ? [{ field: FIELD, message: `number ${place + 1} is no id of a suggestion` }] : [],
  );
  if (problems.length > 0) throw validationError(problems);
  const known = moves.filter((move) => move !== null);
  if (new Set(known.map(({ guestId }) => guestId)).size < known.length) {
    throw validationError([{ field: FIELD, message: "must name each guest once" }]);
  }
  return known;
}

const FIELD = "suggestionIds";

const GUESTS = `select ${movableGuestSql} from guest g join node n on n.id = g.node_id where g.gone_at is null and g.id = any($1)`;

/** A guest that has left the caller's scope is gone for the caller. */
async function plannedItems(
  context: Context,
  client: PoolClient,
  moves: readonly SuggestedMove[],
): Promise<PlannedItem[]> {
  const guests = await client.query<MovableGuestRow>(GUESTS, [moves.map(({ guestId }) => guestId)]);
  const known = await nodes.ofHosts(
    client,
    moves.map(({ toHostId }) => toHostId),
  );
  const byId = new Map(guests.rows.map((row) => [row.id, knownGuest(row)]));
  const targets = new Set(known.map(({ hostId, name }) => `${hostId}/${name}`));
  return moves.map((move) => {
    const guest = byId.get(move.guestId);
    const isGone = guest === undefined || !isHostPermitted(context, guest.hostId);
    if (isGone || !targets.has(`${move.toHostId}/${move.toNode}`)) throw outdated(move, "is gone");
    return plannedItem(guest, move);
  });
}

/** @throws DroverError conflict when the guest is elsewhere by now, or busy */
function plannedItem(guest: NamedGuest, move: SuggestedMove): PlannedItem {
  const { fromHostId, fromNode, toHostId, toNode } = move;
  if (guest.hostId !== fromHostId || guest.node !== fromNode) throw outdated(move, `is on ${guest.node} by now`);
  if (guest.traits.busyWith !== null) {
    throw new DroverError("conflict", `guest ${guest.vmid} is busy: ${guest.traits.busyWith}`, {
      reason: "GUEST_BUSY",
    });
  }
  return { guest, to: { hostId: toHostId, node: toNode, storage: null } };
}

const outdated = ({ guestId, fromNode, toNode }: SuggestedMove, what: string): DroverError =>
  new DroverError("conflict", `the move of guest ${guestId} from ${fromNode} to ${toNode} is outdated: it ${what}`, {
    reason: "SUGGESTION_OUTDATED",
  });
