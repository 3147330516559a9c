// Which kinds of jobs there are.
import type { JobKind } from "../src/core/enums.js";
import { guestCreate } from "./guestCreate/definition.js";
import { guestDelete, safetyCopyDelete } from "./guestDelete/definition.js";
import { guestReinstall } from "./guestReinstall/definition.js";
import { migration } from "./migration/definition.js";
import { balanceRun, evacuation } from "./run/definition.js";
import type { JobDefinition } from "./engine/step.js";

const definitions = new Map<JobKind, JobDefinition>(
  [guestCreate, guestReinstall, guestDelete, safetyCopyDelete, migration, evacuation, balanceRun].map((definition) => [
    definition.kind,
    definition,
  ]),
);

/** @throws Error for a kind that this version does not know */
export function definitionOf(kind: JobKind): JobDefinition {
  const definition = definitions.get(kind);
  if (definition === undefined) throw new Error(`jobs of kind ${kind} are not known to this version`);
  return definition;
}
