// Checks everything again right before the transfer: hours may have passed since the plan was made.
import { gatherMove, type GatheredMove } from "../../src/migration/gather.js";
import { knowledgeOfOne } from "../../src/migration/moveKnowledge.js";
import type { MoveRequest } from "../../src/migration/moveRequest.js";
import { MigrationMode, MigrationStep, Severity } from "../../src/core/enums.js";
import { ofSeverity } from "../../src/core/migration/check.js";
import type { MoveFacts } from "../../src/core/migration/moveFacts.js";
import { preflight as checkMove } from "../../src/core/migration/preflight.js";
import { DroverError } from "../../src/errors/errors.js";
import * as held from "../../src/store/held/take.js";
import * as migrations from "../../src/store/migration.js";
import { takeOtherVmid } from "../guest/otherVmid.js";
import { wasBegun, type Step } from "../engine/step.js";
import { inputOf, retryTransient, whileHeld, type MigrationFacts, type MigrationContext } from "./context.js";

/** Nothing is begun yet: hosts that have a bad moment are worth a short wait only. */
const PATIENCE_MS = 20_000;

export const preflight: Step<MigrationFacts> = {
  name: MigrationStep.PREFLIGHT,
  weight: 1,
  async run(context) {
    if (wasBegun(context.facts, MigrationStep.TRANSFER)) return {};
    const { mode: planned } = inputOf(context);
    const { facts, source } = await gatherWithVmid(context);
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

/** A VMID that the service chose gives way to the next while the target refuses it; one that was asked for is that one or none. */
async function gatherWithVmid(context: MigrationContext): Promise<GatheredMove> {
  const { ipPlan, vmidAsked } = inputOf(context);
  const { id } = context.job;
  for (;;) {
    const gathered = await retryTransient(context, PATIENCE_MS, () =>
      gatherMove(knowledgeOfOne(context.services, id), moveRequestOf(context), { id, ipPlan }),
    );
    if (vmidAsked || !isUnusable(context, gathered.facts)) return gathered;
    await replaceTargetVmid(context);
  }
}

/** Volumes under the planned VMID may be what an operator has to look after; one that takes its place is to have none. */
const isUnusable = ({ facts }: MigrationContext, { targetVmidTaken, volumesLeft }: MoveFacts): boolean =>
  targetVmidTaken || (facts.targetVmid !== undefined && volumesLeft !== null && volumesLeft.length > 0);

async function replaceTargetVmid(context: MigrationContext): Promise<void> {
  const { services, job, log } = context;
  const { hostId, vmid } = inputOf(context).target;
  const targetVmid = await takeOtherVmid(services.pool, job, { hostId, vmid }, held.renumberMove);
  log.info({ from: vmid, to: targetVmid }, "the target refused the VMID: the next one is taken");
  await context.remember({ targetVmid });
}

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

/** The plan as it was accepted: nothing is chosen again but a VMID that the target refuses. */
function moveRequestOf(context: MigrationContext): MoveRequest {
  const { guestId, target, storages, bridges, ipPlan, dropPortForwards, bandwidthMib } = inputOf(context);
  return {
    guestId,
    targetHostId: target.hostId,
    targetNode: target.node,
    targetVmid: target.vmid,
    storages: new Map(storages.map(({ source, target: name }) => [source, name])),
    bridges: new Map(bridges.map(({ source, target: name }) => [source, name])),
    ipZoneId: ipPlan.zoneId,
    dropPortForwards,
    bandwidthMib,
    unattended: false,
  };
}
