// Who may import whom: the table that the linter's rules are made from, and that docs/architecture.md shows.
import { LOWER } from "./layers/lower.mjs";
import { UPPER } from "./layers/upper.mjs";

export { COMMON } from "./layers/common.mjs";

/**
 * One folder.
 * @typedef {object} Layer
 * @property {string} folder
 * @property {string} is what it is, as docs/architecture.md says it
 * @property {readonly string[]} imports other folders that it may import
 * @property {readonly string[]} [libraries] kinds of libraries (scripts/layerRules.mjs) that it may import; every kind when left out
 */

/** @type {readonly Layer[]} */
export const LAYERS = [...LOWER, ...UPPER];
