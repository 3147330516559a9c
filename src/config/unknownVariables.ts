// Finds environment variables with the service's prefix that it does not read: misspelt ones would be ignored silently.
import { suggestionList } from "graphql/jsutils/suggestionList.js";
import { environment } from "./config.js";
import type { Logger } from "../observability/log.js";

const OURS = /^drover_/i;
const KNOWN = Object.keys(environment.shape);
/** Set for clients of the API. */
const OF_CLIENTS = ["DROVER_TOKEN"];
/** Set by Kubernetes in pods beside a service named drover, as is `DROVER_PORT`. */
const OF_KUBERNETES = /^DROVER_(SERVICE_(HOST|PORT)|PORT_\d+_)/;

/** A variable that the service does not read. */
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

/** Warns at start. No error: the variables may be meant for other programs. */
export function warnOfUnknownVariables(variables: NodeJS.ProcessEnv, log: Logger): void {
  for (const { name, nearest } of unknownVariables(variables)) {
    const meant = nearest === null ? "" : `; did you mean ${nearest}?`;
    log.warn(`${name} is no variable of the service, and ignored${meant}`);
  }
}

const isOthers = (name: string, value = ""): boolean =>
  OF_CLIENTS.includes(name) || OF_KUBERNETES.test(name) || (name === "DROVER_PORT" && URL.canParse(value));

/** A known name that lacks the prefix is often written with it. */
function nearestTo(name: string): string | null {
  const upper = name.toUpperCase();
  const bare = upper.replace(OURS, "");
  return KNOWN.find((known) => known === upper || known === bare) ?? suggestionList(upper, KNOWN)[0] ?? null;
}
