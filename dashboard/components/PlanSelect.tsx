// Chooses a plan that new guests can use.
import { useQuery } from "urql";
import { mebibytes } from "../format.js";
import { FindPlansDocument, type FindPlansQuery } from "../generated/documents.js";
import type { Findable } from "./found.js";
import { FoundSelect, type ChoosingProperties } from "./FoundSelect.js";
import { texts } from "../texts/common.js";

type FoundPlan = FindPlansQuery["plans"]["items"][number];

const PLANS: Findable<FoundPlan> = {
  nothing: texts.select.noPlan,
  choiceOf: ({ id, name, cores, memoryMb, diskGb }) => ({
    value: String(id),
    label: texts.select.plan(name, cores, mebibytes(memoryMb), diskGb),
  }),
  useFound(search, pause) {
    const [{ data, fetching }] = useQuery({ query: FindPlansDocument, variables: { search }, pause });
    return { records: data?.plans.items, total: data?.plans.meta.total ?? 0, fetching };
  },
};

/** Its values are ids as text. */
export function PlanSelect(properties: ChoosingProperties<FoundPlan>) {
  return <FoundSelect kind={PLANS} nameOf={texts.select.planNumber} {...properties} />;
}
