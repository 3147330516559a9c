// Checks everything again right before the transfer: hours may have passed since the plan was made.
import { gatherMove } from "../../src/actions/migration/gather.js";
import { knowledgeOfOne } from "../../src/actions/migration/moveKnowledge.js";
import type { MoveWish } from "../../src/actions/migration/wish.js";
import { MigrationMode, MigrationStep, Severity } from "../../src/core/enums.js";
import { ofSeverity } from "../../src/core/migration/check.js";
import type { MoveFacts } from "../../src/core/migration/moveFacts.js";
import { preflight as checkMove } from "../../src/core/migration/preflight.js";
import { DroverError } from "../../src/errors/errors.js";
import * as migrations from "../../src/store/migration.js";
import { wasBegun, type Step } from "../engine/step.js";
import { inputOf, retryTransient, whileHeld, type MigrationFacts, type MigrationContext } from "./context.js";

/** Nothing is begun yet: hosts that have a bad moment are worth a short wait only. */
const PATIENCE_MS = 20_000;

export const preflight: Step<MigrationFacts> = {
  name: MigrationStep.PREFLIGHT,
  weight: 1,
  async run(context) {
    if (wasBegun(context.facts, MigrationStep.TRANSFER)) return {};
    const { mode: planned, ipPlan } = inputOf(context);
    const { id } = context.job;
    const { facts, source } = await retryTransient(context, PATIENCE_MS, () =>
      gatherMove(knowledgeOfOne(context.services, id), wishOf(context), { id, ipPlan }),
    );
    const problems = ofSeverity(checkMove(facts), Severity.BLOCKING).map(({ message }) => message);
    if (stopsUnannounced(planned, facts.mode)) problems.push("the container was started since the move was planned");
    problems.push(...newcomers(context, facts), ...newRights(context, facts));
    if (source.guest.node !== inputOf(context).source.node)
      problems.push("the guest is on another node of its host now");
    if (problems.length > 0) throw new DroverError("conflict", problems.join("; "), { reason: "PREFLIGHT_FAILED" });
    await whileHeld(context, (client) => migrations.setMode(client, context.job.id, facts.mode));
    const { modification } = facts.target.rights;
    return { mode: facts.mode, disks: source.disks, tokenModifies: modification !== null };
  },
};

/** Whether the move would stop a guest that nobody expects to be stopped. */
const stopsUnannounced = (planned: MigrationMode, now: MigrationMode): boolean =>
  planned !== now && now === MigrationMode.RESTART;

/** The temporary token has no rights on a storage that nobody chose, and the platform would map it to an equal name unasked. */
function newcomers(context: MigrationContext, { storages, bridges }: MoveFacts): string[] {
  const planned = inputOf(context);
  const known = new Set([...planned.storages, ...planned.bridges].map(({ source }) => source));
  return [...storages, ...bridges].flatMap(({ source }) =>
    known.has(source) ? [] : [`since the move was planned, the guest has come to use ${source}: plan the move again`],
  );
}

/** What the source says now does not widen what its token may do on the target beyond what was shown. */
function newRights(context: MigrationContext, { target }: MoveFacts): string[] {
  const { modification } = target.rights;
  if (modification === null || inputOf(context).tokenModifies !== false) return [];
  return [`since the move was planned, the guest ${modification.reason}: plan the move again`];
}

/** The plan as it was accepted: nothing is chosen again. */
function wishOf(context: MigrationContext): MoveWish {
  const { guestId, target, storages, bridges, ipPlan, dropPortForwards } = inputOf(context);
  return {
    guestId,
    targetHostId: target.hostId,
    targetNode: target.node,
    targetVmid: target.vmid,
    storages: new Map(storages.map(({ source, target: name }) => [source, name])),
    bridges: new Map(bridges.map(({ source, target: name }) => [source, name])),
    ipZoneId: ipPlan.zoneId,
    dropPortForwards,
    unattended: false,
  };
}
