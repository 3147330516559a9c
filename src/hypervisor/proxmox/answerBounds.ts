// Decides how much an answer of a host may hold, by what was asked: one that is hostile or broken must not hold up the whole service.

/** The most that an answer may hold. */
export interface AnswerBound {
  /** As it was before it was compressed. */
  readonly bytes: number;
  /** Objects and lists, at any depth. */
  readonly groups: number;
  /** Single values, keys aside. */
  readonly values: number;
}

const MIB = 1024 ** 2;

/** Most answers have some kilobytes. The time to read one of a mebibyte depends on how many objects and lists it is made of. */
const USUAL: AnswerBound = { bytes: MIB, groups: 10_000, values: 100_000 };

/** The page of a proxy, say; the words of a refusal are cut anyway. */
export const OF_A_REFUSAL: AnswerBound = { bytes: 64 * 1024, groups: 1000, values: 10_000 };

/** What grows with the host, with room to spare: of 10,000 guests the overview has 3 MB, 10,000 groups and 230,000 values. */
const LONG: readonly (readonly [RegExp, AnswerBound])[] = [
  [/^\/cluster\/resources$/, { bytes: 32 * MIB, groups: 100_000, values: 2_000_000 }],
  // One group a guest and path where rights are given guest by guest.
  [/^\/access\/(?:permissions|acl)$/, { bytes: 16 * MIB, groups: 50_000, values: 1_000_000 }],
  [/^\/nodes\/[^/]+\/storage\/[^/]+\/content$/, { bytes: 32 * MIB, groups: 100_000, values: 1_000_000 }],
  [/\/firewall\//, { bytes: 8 * MIB, groups: 50_000, values: 500_000 }],
  [/^\/nodes\/[^/]+\/tasks(?:\/[^/]+\/log)?$|^\/cluster\/tasks$/, { bytes: 8 * MIB, groups: 20_000, values: 200_000 }],
];

/** Of a host; the platform's clusters have some dozens. Each node is asked for more. */
export const MOST_NODES = 1000;

/** @param path of the API, without a query */
export const boundOf = (path: string): AnswerBound => LONG.find(([pattern]) => pattern.test(path))?.[1] ?? USUAL;
