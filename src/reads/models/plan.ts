// Reads plans.
import { contains, given, type Optional } from "../engine/criteria.js";
import { column, visibleToAll, type ReadModel } from "../engine/model.js";
import type { Clause } from "../engine/read.js";

export const plans: ReadModel = {
  type: "Plan",
  from: (row) => `plan ${row}`,
  visible: visibleToAll,
  fields: {
    id: column("id"),
    name: column("name"),
    cores: column("cores"),
    memoryMb: column("memory_mb"),
    diskGb: column("disk_gb"),
    trafficGb: column("traffic_gb"),
    runtimeDays: column("runtime_days"),
    active: column("active"),
  },
};

/** Which plans to list; what is left out does not restrict. */
interface PlanCriteria {
  readonly activeOnly: boolean;
  /** Part of the name, in any case. */
  readonly search?: Optional<string>;
}

/** The conditions of a filter. */
export const planClauses = ({ activeOnly, search }: PlanCriteria): Clause[] => [
  ...(activeOnly ? [(row: string) => `${row}.active`] : []),
  ...given(typeof search === "string" ? contains(search) : null, (row, pattern) => `${row}.name ilike ${pattern}`),
];
