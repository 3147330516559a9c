// Converts IPv4 and IPv6 addresses and networks between text and numbers that can be counted with.
import ipaddr from "ipaddr.js";

export type Family = 4 | 6;

/** An address as a number: 32 bits of IPv4, 128 of IPv6. */
interface Address {
  readonly family: Family;
  readonly value: bigint;
}

/** All addresses from `first` to `last`, both included. */
export interface AddressRange {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
}

/** A network in CIDR notation, host bits cleared. */
export interface Network extends AddressRange {
  readonly prefixLength: number;
}

const BITS = { 4: 32, 6: 128 } as const satisfies Record<Family, number>;

/**
 * Strict where the library is lenient: no octal, hexadecimal or shortened IPv4, no zone of an IPv6 address. An IPv4
 * address inside IPv6 (`::ffff:a.b.c.d`) is taken as the IPv4 address that it is.
 * @returns the library's address, else null.
 */
export function parseIp(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return text.includes(":") && !text.includes("%") && ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : null;
}

/** @returns the address that the text writes, else null. */
export function parseAddress(text: string): Address | null {
  const parsed = parseIp(text);
  if (parsed === null) return null;
  const digits = parsed.toByteArray().map((byte) => byte.toString(16).padStart(2, "0"));
  return { family: parsed.kind() === "ipv4" ? 4 : 6, value: BigInt(`0x${digits.join("")}`) };
}

/** @returns the network that `address/length` writes, else null; host bits may be set and are cleared. */
export function parseNetwork(text: string): Network | null {
  const [, addressText = "", lengthText] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = parseAddress(addressText);
  const prefixLength = Number(lengthText);
  if (address === null || !(prefixLength <= BITS[address.family])) return null;
  const hostBits = BigInt(BITS[address.family] - prefixLength);
  const first = (address.value >> hostBits) << hostBits;
  return { family: address.family, first, last: first + (1n << hostBits) - 1n, prefixLength };
}

/** @returns the range of one address, of `first-last` or of a CIDR, else null. */
export function parseRange(text: string): AddressRange | null {
  if (text.includes("/")) return parseNetwork(text);
  const [first, last] = text.split("-", 2).map((end) => parseAddress(end.trim()));
  if (!first) return null;
  if (last === undefined) return { family: first.family, first: first.value, last: first.value };
  if (last === null || last.family !== first.family || last.value < first.value) return null;
  return { family: first.family, first: first.value, last: last.value };
}

/** @returns the usual text: dotted decimal, or IPv6 in its short lower-case form. */
export function formatAddress({ family, value }: Address): string {
  const bytes = Array.from({ length: BITS[family] / 8 }, (_, index) =>
    Number((value >> BigInt(BITS[family] - 8 * (index + 1))) & 0xffn),
  );
  return ipaddr.fromByteArray(bytes).toString();
}

/** @returns whether the address lies in the range. */
export const isInRange = ({ family, first, last }: AddressRange, address: Address): boolean =>
  address.family === family && address.value >= first && address.value <= last;
