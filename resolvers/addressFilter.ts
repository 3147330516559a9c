// Reads the address that a filter names, in any spelling.
import { plainAddress } from "../src/access/sourceIp.js";
import { validationError } from "../src/errors/errors.js";

/**
 * The wanted address as it is kept; null: the filter names none.
 * @param field what the filter calls it
 * @throws DroverError validation
 */
export function addressFilter(field: string, text: string | null | undefined): string | null {
  if (typeof text !== "string") return null;
  const address = plainAddress(text.trim());
  if (address !== null) return address;
  throw validationError([{ field, message: "must be an IP address" }]);
}
