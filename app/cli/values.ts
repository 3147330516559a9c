// Reads the values of options: numbers, lists, moments, files, and secrets that are not to stand on a command line.
import { InvalidArgumentError } from "commander";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

/** Input that cannot be used; its message names the field. */
export class RefusedInput extends Error {
  override readonly name = "RefusedInput";
}

/** A whole number from `least`. */
export const wholeNumber =
  (least: number) =>
  (given: string): number => {
    const value = Number(given);
    if (!/^\d+$/.test(given) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
    }
    return value;
  };

const hostId = wholeNumber(1);

/** Host ids with commas between them; given again, more of them. */
export const hostIds = (given: string, earlier: readonly number[] = []): readonly number[] => [
  ...earlier,
  ...given.split(",").map((part) => hostId(part.trim())),
];

/** One more of a list. */
export const oneMore = (given: string, earlier: readonly string[] = []): readonly string[] => [...earlier, given];

/** A moment in ISO 8601. */
export function moment(given: string): Date {
  const value = new Date(given);
  if (Number.isNaN(value.getTime()))
    throw new InvalidArgumentError("It must be a moment such as 2027-01-31T12:00:00Z.");
  return value;
}

/** What a file, or standard input for `-`, holds. @throws RefusedInput */
export async function contentOf(path: string): Promise<string> {
  if (path === "-") return text(process.stdin);
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new RefusedInput(`input: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** A secret as it was given, or for `-` the first line of standard input: other users see command lines. */
export async function secretOf(given: string | undefined): Promise<string | undefined> {
  if (given !== "-") return given;
  const [line] = (await text(process.stdin)).split("\n");
  return line?.replace(/\r$/, "");
}
