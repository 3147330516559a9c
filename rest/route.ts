// What a REST endpoint is: one row that says how a request becomes the variables of a GraphQL document.
import type { Problem } from "../src/core/problem.js";
import type { ErrorKind } from "../src/errors/errors.js";
import type { Kind } from "./kinds.js";

/** Variables of a GraphQL document, by name. */
export type Variables = Record<string, unknown>;

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Methods whose requests have a body. */
export const WITH_BODY: ReadonlySet<Method> = new Set(["POST", "PATCH"]);

/** One value that a request carries. */
export interface RequestField {
  /** As REST v1 names it. */
  readonly name: string;
  /** A path value that cannot be read is an unknown record (404), any other a validation error (422). */
  readonly in: "path" | "query" | "body";
  readonly kind: Kind;
  /** The variable of the document that gets the value; `input.memoryMb` is a field of an input object. */
  readonly variable: string;
  readonly required?: true;
  /** A null that is sent is a value of its own: none. Elsewhere it is as good as left out. */
  readonly clearable?: true;
  /** Stands for a value that was not sent, so that the service says itself what is wrong with that. */
  readonly whenAbsent?: string;
  readonly description: string;
}

/** One endpoint. */
export interface Route {
  readonly method: Method;
  /** Below `/api/v1`, with path values in braces: `/hosts/{id}/guests`. */
  readonly path: string;
  readonly summary: string;
  readonly fields: readonly RequestField[];
  /**
   * GraphQL operation whose aliases are the names of REST v1. A root field called `data` is the payload (with `items` and `meta`
   * a list); without one, the root fields together are.
   */
  readonly document: string;
  /** The root field is one read that composes the JSON of its records itself: it goes into the answer as it is. */
  readonly rawJson?: true;
  /** Status of success; 200 when left out. */
  readonly status?: 201 | 202;
  /** Operation that fails as `document` would when the record of the path is not there: asked before a 422 is given. */
  readonly subject?: string;
  /** Refusals of what it does, beyond those of what it is sent: the state forbids it (409), the platform fails (502). */
  readonly mayFailWith?: readonly Extract<ErrorKind, "conflict" | "platform">[];
  /** Names what else is wrong when some values cannot even be read, so that a 422 names every offending field. */
  readonly problems?: (variables: Variables) => readonly Problem[];
  /** Reshapes the payload where aliases cannot. */
  readonly payload?: (data: unknown) => unknown;
}
