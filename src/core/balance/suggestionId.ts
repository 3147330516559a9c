// Names a suggestion by what it means, so that its id says the same in every later report and process.
import { isNodeName } from "../names.js";
import { positiveInteger } from "../integer.js";

/** A move as a balance run is asked for it. */
export interface SuggestedMove {
  readonly guestId: number;
  readonly fromHostId: number;
  readonly fromNode: string;
  readonly toHostId: number;
  readonly toNode: string;
}

/** @returns the id, such as `42.1.pve1.2.pve7`: guest, source, target. Node names are DNS labels and have no dots. */
export const suggestionId = ({ guestId, fromHostId, fromNode, toHostId, toNode }: SuggestedMove): string =>
  [guestId, fromHostId, fromNode, toHostId, toNode].join(".");

/** @returns the move that an id names; null when it is no id of a suggestion. */
export function readSuggestionId(id: string): SuggestedMove | null {
  const [guest = "", fromHost = "", fromNode = "", toHost = "", toNode = "", ...rest] = id.split(".");
  const guestId = positiveInteger(guest);
  const fromHostId = positiveInteger(fromHost);
  const toHostId = positiveInteger(toHost);
  const isWhole = rest.length === 0 && isNodeName(fromNode) && isNodeName(toNode);
  if (guestId === null || fromHostId === null || toHostId === null || !isWhole) return null;
  return { guestId, fromHostId, fromNode, toHostId, toNode };
}
