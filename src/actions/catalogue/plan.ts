// Makes and changes the plans that guests are sold in.
import type { Context } from "../../context/context.js";
import { permit, permitEverywhere } from "../../access/permit.js";
import { Permission } from "../../core/access/permissions.js";
import { SMALLEST_MEMORY_MB } from "../../core/guest/specification.js";
import { notFound, validationError } from "../../errors/errors.js";
import * as plans from "../../store/plan.js";
import { leastProblems, nameProblems } from "../inputProblems.js";
import { brokenUnique } from "../../db/unique.js";

/** A whole plan. Sizes: MiB of memory, GiB of disk and of traffic a month. */
interface PlanInput {
  readonly name: string;
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  /** Null: unlimited. */
  readonly trafficGb?: number | null;
  /** Null: unlimited. */
  readonly runtimeDays?: number | null;
  /** Null: active when made, as it was when changed. */
  readonly active?: boolean | null;
}

/** @returns the new plan's id. @throws DroverError `forbidden`, `validation` that names every offending field */
export async function createPlan(context: Context, input: PlanInput): Promise<number> {
  permit(context, Permission.HOSTS_MANAGE);
  permitEverywhere(context, "A plan");
  refuseProblems(input);
  return unlessTaken(plans.insert(context.pool, planOf(input)));
}

/** Guests that have the plan stay as they are. @throws DroverError as `createPlan`, and `notFound` */
export async function updatePlan(context: Context, id: number, input: PlanInput): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  permitEverywhere(context, "A plan");
  refuseProblems(input);
  const isKnown = await unlessTaken(plans.change(context.pool, id, planOf(input)));
  if (!isKnown) throw notFound(`Plan ${id}`);
}

const planOf = ({ name, trafficGb, runtimeDays, active, ...sizes }: PlanInput) => ({
  ...sizes,
  name: name.trim(),
  trafficGb: trafficGb ?? null,
  runtimeDays: runtimeDays ?? null,
  active: active ?? undefined,
});

function refuseProblems({ name, cores, memoryMb, diskGb, trafficGb, runtimeDays }: PlanInput): void {
  const problems = [
    ...nameProblems(name),
    ...leastProblems("cores", cores, 1),
    ...leastProblems("memoryMb", memoryMb, SMALLEST_MEMORY_MB),
    ...leastProblems("diskGb", diskGb, 1),
    ...leastProblems("trafficGb", trafficGb, 1),
    ...leastProblems("runtimeDays", runtimeDays, 1),
  ];
  if (problems.length > 0) throw validationError(problems);
}

const unlessTaken = <Result>(writing: Promise<Result>): Promise<Result> =>
  writing.catch((error: unknown) => {
    if (brokenUnique(error) === null) throw error;
    throw validationError([{ field: "name", message: "is already in use" }]);
  });
