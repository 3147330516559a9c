// Describes a route of the API and what its handler gets to work with.
import type { Requirement } from "./access/requirement.js";
import type { ApiAnswer, ApiMethod, Identity } from "./api.js";
import type { Parameters } from "./parameters/parameters.js";
import type { PropertyTable } from "./parameters/propertyTable.js";
import type { Platform } from "./platform.js";
import type { Release } from "./version.js";

/** One checked call. */
export interface Call {
  platform: Platform;
  identity: Identity;
  parameters: Parameters;
  /** Member that was asked. */
  answeringNode: string;
  sourceAddress: string;
}

/** Carries a call out. */
export type Handler = (call: Call) => ApiAnswer | Promise<ApiAnswer>;

export interface Route {
  method: ApiMethod;
  /** Template such as `/nodes/{node}/qemu`. */
  path: string;
  /** `"world"` needs no credentials at all. */
  requires: Requirement | "world";
  /** Parameters, those of the path included; left out: what the tables say. */
  accepts?: PropertyTable;
  /** Releases that have it; left out: those whose tables name it, or all. */
  releases?: readonly Release[];
  /** False: only tickets may call it. */
  tokensAllowed?: false;
  /** False: answered by whichever member is asked although the path names a node. */
  proxied?: false;
  handle: Handler;
}

/** A success with nothing but data. */
export function answer(data: unknown): ApiAnswer {
  return { data };
}

/** The same handler, after a look at the cluster. @param look throws what keeps the cluster from doing it */
export const after =
  (look: (state: Platform["state"]) => void, handle: Handler): Handler =>
  (call) => {
    look(call.platform.state);
    return handle(call);
  };

/** VMID of a call whose path has one. */
export function vmidOf(call: Call): number {
  return Number(call.parameters.text("vmid"));
}
