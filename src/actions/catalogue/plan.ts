// Makes and changes the plans that guests are sold in.
import type { Context } from "../../context/context.js";
import { permit, permitEverywhere } from "../../access/permit.js";
import { Permission } from "../../core/access/permissions.js";
import { SMALLEST_MEMORY_MB } from "../../core/guest/specification.js";
import { insertedId } from "../../db/insertedId.js";
import { notFound, validationError } from "../../errors/errors.js";
import { leastProblems, nameProblems } from "../inputProblems.js";
import { brokenUnique } from "../unique.js";

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
  const inserting = unlessTaken(
    context.pool.query<{ id: number }>(
      `insert into plan (name, cores, memory_mb, disk_gb, traffic_gb, runtime_days, active)
       values ($1, $2, $3, $4, $5, $6, coalesce($7, true)) returning id`,
      valuesOf(input),
    ),
  );
  return insertedId(inserting);
}

/** Guests that have the plan stay as they are. @throws DroverError as `createPlan`, and `notFound` */
export async function updatePlan(context: Context, id: number, input: PlanInput): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  permitEverywhere(context, "A plan");
  refuseProblems(input);
  const { rowCount } = await unlessTaken(
    context.pool.query(
      `update plan set name = $1, cores = $2, memory_mb = $3, disk_gb = $4, traffic_gb = $5, runtime_days = $6,
         active = coalesce($7, active) where id = $8`,
      [...valuesOf(input), id],
    ),
  );
  if (rowCount === 0) throw notFound(`Plan ${id}`);
}

const valuesOf = (input: PlanInput): unknown[] => [
  input.name.trim(),
  input.cores,
  input.memoryMb,
  input.diskGb,
  input.trafficGb ?? null,
  input.runtimeDays ?? null,
  input.active ?? null,
];

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
