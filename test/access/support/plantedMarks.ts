// Which marks of the planted database each caller may be told.
import type { Caller } from "./plantedWorld.js";

/** Addresses have no room for a word: each is the mark of what has it. */
const ADDRESSES: readonly (readonly [address: string, mark: string])[] = [
  ["10.77.1.1", "plantguesta1"],
  ["10.77.2.1", "plantguestb1"],
  ["10.77.3.1", "plantguestn1"],
  ["10.77.4.1", "plantgone"],
  ["10.77.5.1", "plantguesta2"],
  ["10.77.6.1", "plantguestb2"],
  ["10.77.7.1", "plantguestn2"],
  ["10.77.8.1", "plantcopy2"],
  ["10.77.9.1", "plantguestn3"],
  ["198.51.100.10", "plantguesta1"],
  ["198.51.100.11", "plantguestb1"],
  ["198.51.100.12", "plantguestn1"],
  ["192.0.2.10", "plantguesta2"],
  ["192.0.2.11", "plantguestb2"],
  ["192.0.2.12", "plantguestn2"],
  ["203.0.113.1", "plantnode1a"],
  ["203.0.113.2", "plantnode1b"],
  ["203.0.113.3", "plantnode2"],
];

/** @returns the marks in a text */
export function marksIn(text: string): Set<string> {
  const words = text.match(/plant[a-z\d]+/g) ?? [];
  const addresses = new Set(text.match(/\d+\.\d+\.\d+\.\d+/g));
  return new Set([...words, ...ADDRESSES.flatMap(([address, mark]) => (addresses.has(address) ? [mark] : []))]);
}

const marks = (text: string): string[] => text.trim().split(/\s+/);

const HOST_1 = marks(
  `planthost1 plantnode1a plantnode1b plantzone1 plantguesta1 plantguestb1 plantguestn1 planttemplate1`,
);
const HOST_2 = marks(`planthost2 plantnode2 plantnode2b plantzone2 plantguesta2 plantguestb2 plantguestn2 plantcopy2`);
const HOST_3 = marks(`planthost3 plantnode3 plantguestn3`);
/** What the moves between hosts 1 and 2, and between 2 and 3, tell. */
const MOVES = marks(`plantmove12 plantmove12b plantmove23`);
const CUSTOMERS = marks(`plantcustomera plantcustomerb plantcustomerc`);
const RESELLERS = marks(`plantreseller1 plantreseller2`);
const PEOPLE = [...CUSTOMERS, ...RESELLERS, ...marks(`plantadmin plantoperator`)];
/** Of those asked for, whose users tokens may manage; one of bounded scope manages no reseller, and nobody with guests elsewhere. */
const MANAGED_SESSIONS = marks(`plantsession3 plantsession5 plantsession6`);
const TOKENS = marks(`planttokenall planttokenplain planttokens1 planttokens1m planttokens2m planttokens12
  plantcallall plantcallplain plantcalls1 plantcalls1m plantcalls2m plantcallnone`);
const EVERYTHING = [...HOST_1, ...HOST_2, ...HOST_3, ...MOVES, ...PEOPLE, ...TOKENS, "plantoldplan"];

/**
 * What each caller is told, and nothing else. Resellers and customers know where the guests are that they see; moves name their
 * other end to whoever sees both.
 */
export const KNOWN: Readonly<Record<Caller, readonly string[]>> = {
  nobody: [],
  manager: [...EVERYTHING, ...MANAGED_SESSIONS],
  plain: [
    ...HOST_1,
    ...HOST_2,
    ...HOST_3,
    ...MOVES,
    ...CUSTOMERS,
    ...RESELLERS,
    ...MANAGED_SESSIONS,
    "planttokenplain",
  ],
  scoped: [...HOST_1, ...CUSTOMERS, ...RESELLERS, "planttokens1"],
  scopedManager: [...HOST_1, ...PEOPLE, ...marks(`planttokens1 planttokens1m plantcalls1 plantcalls1m plantoldplan`)],
  widerManager: [
    ...HOST_1,
    ...HOST_2,
    ...PEOPLE,
    ...marks(`plantmove12 plantmove12b planttokens1 planttokens1m planttokens2m planttokens12`),
    ...marks(`plantcalls1 plantcalls1m plantcalls2m plantoldplan plantsession5 plantsession6`),
  ],
  reseller1: marks(`plantreseller1 plantcustomera plantguesta1 plantguesta2 plantcopy2 planthost1 planthost2 plantnode1a
    plantnode1b plantnode2 plantzone1 plantzone2 plantmove12 plantsession3 plantsession5`),
  customerA: marks(`plantcustomera plantguesta1 plantguesta2 plantcopy2 plantnode1a plantnode2 plantsession5`),
  customerB: marks(`plantcustomerb plantguestb1 plantguestb2 plantnode1b plantnode2 plantsession6`),
};
