// Remembers, through everything that a request awaits, whose request it is: what is scarce further down is divided by it.
import { AsyncLocalStorage } from "node:async_hooks";

/** Whose share work is charged to. */
export interface ChargedCaller {
  readonly key: string;
  /** Not known: a caller without a valid token. */
  readonly isKnown: boolean;
}

const scope = new AsyncLocalStorage<ChargedCaller>();

/** Runs work, and everything that it begins, on behalf of a caller. */
export const onBehalfOf = <Result>(caller: ChargedCaller, work: () => Result): Result => scope.run(caller, work);

/** On whose behalf the present work is done; null: the service's own. */
export const chargedCaller = (): ChargedCaller | null => scope.getStore() ?? null;
