// Collects the parameters of one SQL statement, whose text is compiled once and whose values are found at each run.
import type { Viewer } from "../../access/viewer.js";

/** What the values of a statement are taken from when it runs. */
interface Inputs {
  readonly viewer: Viewer;
  /** The present by the service's clock. */
  readonly now: Date;
  /** The variables of the GraphQL operation. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Finds one parameter's value at run time. */
export type Slot = (inputs: Inputs) => unknown;

/** Adds a parameter and gives its placeholder (`$3`). The same slot function keeps its first placeholder. */
export type Bind = (slot: Slot) => string;

export class Parameters {
  readonly #slots: Slot[] = [];

  constructor(slots: readonly Slot[] = []) {
    this.#slots.push(...slots);
  }

  readonly bind: Bind = (slot) => {
    const known = this.#slots.indexOf(slot);
    if (known >= 0) return `$${known + 1}`;
    this.#slots.push(slot);
    return `$${this.#slots.length}`;
  };

  /** Adds a parameter whose value is known now. */
  value(value: unknown): string {
    return this.bind(() => value);
  }

  get slots(): readonly Slot[] {
    return this.#slots;
  }

  values(inputs: Inputs): unknown[] {
    return this.#slots.map((slot) => slot(inputs));
  }
}

/** The present as a parameter. */
export const presentTime: Slot = ({ now }) => now;

/** Hosts in the viewer's scope as a parameter; only used where the scope is bounded. */
export const scopedHostIds: Slot = ({ viewer }) => viewer.hostIds;

/** Id of the signed-in user as a parameter. */
export const viewerUserId: Slot = ({ viewer }) => (viewer.kind === "user" ? viewer.userId : null);

/** Id of the API token that asks as a parameter. */
export const viewerTokenId: Slot = ({ viewer }) => (viewer.kind === "token" ? viewer.tokenId : null);

/** Id of the session that asks as a parameter; null for an API token. */
export const viewerSessionId: Slot = ({ viewer }) => (viewer.kind === "user" ? viewer.sessionId : null);
