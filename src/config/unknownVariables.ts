// Finds environment variables that look like the service's and are not: a misspelt one would be ignored without a word.
import { suggestionList } from "graphql/jsutils/suggestionList.js";
import { environment } from "./config.js";
import type { Logger } from "../observability/log.js";

const OURS = /^drover_/i;
const KNOWN = Object.keys(environment.shape);
/** Clients of the API are told by these where it is. */
const OF_CLIENTS = ["DROVER_URL", "DROVER_TOKEN"];
/** What Kubernetes sets in the neighbours of a service that is called drover, beside `DROVER_PORT`. */
const OF_KUBERNETES = /^DROVER_(SERVICE_(HOST|PORT)|PORT_\d+_)/;

/** A variable that nobody reads. */
interface UnknownVariable {
  readonly name: string;
  /** The variable that was probably meant. */
  readonly nearest: string | null;
}

/** @returns those of the environment, in its order */
export const unknownVariables = (variables: NodeJS.ProcessEnv): UnknownVariable[] =>
  Object.entries(variables)
    .filter(([name, value]) => OURS.test(name) && !KNOWN.includes(name) && !isOthers(name, value))
    .map(([name]) => ({ name, nearest: nearestTo(name) }));

/** Says at start which they are. They stop nothing: whoever starts the service may have them for other programs. */
export function warnOfUnknownVariables(variables: NodeJS.ProcessEnv, log: Logger): void {
  for (const { name, nearest } of unknownVariables(variables)) {
    const meant = nearest === null ? "" : `; did you mean ${nearest}?`;
    log.warn(`${name} is no variable of the service, and ignored${meant}`);
  }
}

const isOthers = (name: string, value = ""): boolean =>
  OF_CLIENTS.includes(name) || OF_KUBERNETES.test(name) || (name === "DROVER_PORT" && URL.canParse(value));

/** Names that have no prefix are given it easily. */
function nearestTo(name: string): string | null {
  const upper = name.toUpperCase();
  const bare = upper.replace(OURS, "");
  return KNOWN.find((known) => known === upper || known === bare) ?? suggestionList(upper, KNOWN)[0] ?? null;
}
