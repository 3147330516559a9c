// Writes JSON as bytes, piece by piece: an answer of megabytes then leaves hardly any garbage behind.
import type { Scale } from "../core/units.js";

/** So large that pieces are few, so small that the allocator has them at hand. */
const PIECE_BYTES = 64 * 1024;
/** What a UTF-16 unit takes at most: `\u001f`. */
const WIDEST_BYTES = 6;
/** Larger counts, and negative ones, are turned into text first. */
const MOST_PARTS = 2 ** 31 - 1;
/** The digits of that, a zero before the point, and the point. */
const LONGEST_NUMBER = 12;

const ZERO = 0x30;
const POINT = 0x2e;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
/** From here on a character takes two bytes of UTF-8. */
const FIRST_OF_TWO = 0x80;
/** And from here on three, or it is half of a pair. */
const FIRST_OF_THREE = 0x800;

/** UTF-8 that grows at its end. */
export class JsonBytes {
  readonly #full: Buffer[] = [];
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #end = 0;

  /** Writes bytes as they are. */
  bytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#piece.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Writes JSON as it is. */
  raw(json: string): void {
    this.bytes(Buffer.from(json));
  }

  /** Writes the inside of a JSON string. */
  text(text: string): void {
    this.#makeRoom(text.length * WIDEST_BYTES);
    const piece = this.#piece;
    let end = this.#end;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < FIRST_OF_TWO) {
        if (code < FIRST_PRINTABLE || code === QUOTE || code === BACKSLASH) return this.#escaped(text);
        piece[end++] = code;
      } else if (code < FIRST_OF_THREE) {
        piece[end++] = 0xc0 | (code >> 6);
        piece[end++] = 0x80 | (code & 0x3f);
      } else return this.#escaped(text);
    }
    this.#end = end;
  }

  /** Writes an amount in digits. */
  number(scale: Scale, amount: number): void {
    const parts = scale.parts(amount);
    if (parts >= 0 && parts <= MOST_PARTS) this.#digits(parts, scale);
    else this.text(scale.digits(parts));
  }

  /** @returns what was written, in pieces; nothing is to be written afterwards. */
  pieces(): readonly Buffer[] {
    return [...this.#full, this.#piece.subarray(0, this.#end)];
  }

  /** Digits are found from the last to the first. */
  #digits(parts: number, { decimals, trimmed }: Scale): void {
    this.#makeRoom(LONGEST_NUMBER);
    let left = parts | 0;
    let behind: number = decimals;
    if (trimmed) {
      for (; behind > 0 && left % 10 === 0; behind--) left = (left / 10) | 0;
    }
    const piece = this.#piece;
    this.#end += Math.max(digitsOf(left), behind + 1) + (behind > 0 ? 1 : 0);
    let at = this.#end;
    for (let place = 1; left > 0 || place <= behind + 1; place++) {
      const rest = (left / 10) | 0;
      piece[--at] = ZERO + left - rest * 10;
      left = rest;
      if (place === behind) piece[--at] = POINT;
    }
  }

  #escaped(text: string): void {
    this.bytes(Buffer.from(JSON.stringify(text)).subarray(1, -1));
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#piece.length) return;
    this.#full.push(this.#piece.subarray(0, this.#end));
    this.#piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, bytes));
    this.#end = 0;
  }
}

function digitsOf(count: number): number {
  let digits = 1;
  for (let next = 10; count >= next; next *= 10) digits++;
  return digits;
}
