// Measures an answer while it comes in, and refuses one that is beyond its bound before anybody works on it.
import type { AnswerBound } from "./answerBounds.js";
import { KnownFault } from "./fault.js";

/** Lists and objects within each other; no answer of the platform comes near. */
const DEEPEST = 32;
const MIB = 1024 ** 2;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** `[` and `]`; the braces have one bit more. */
const OPENING = 0x5b;
const CLOSING = 0x5d;
const BRACE = 0x20;

/** An answer holds more than it may, or is nested too deeply. */
export class BeyondBounds extends KnownFault {
  override readonly name = "BeyondBounds";
}

/**
 * Counts what decides how long it takes to read JSON, byte by byte and in passing: some 2 ms a megabyte. It does not judge whether
 * the text is JSON at all.
 */
export class AnswerGauge {
  readonly #bound: AnswerBound;
  #bytes = 0;
  #depth = 0;
  #groups = 0;
  #separators = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(bound: AnswerBound) {
    this.#bound = bound;
  }

  /** @throws BeyondBounds */
  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    const { bytes, groups, values } = this.#bound;
    if (this.#bytes > bytes) throw tooLarge(this.#bound);
    const deepest = this.#scan(chunk);
    if (deepest > DEEPEST) throw new BeyondBounds(`it is nested more than ${DEEPEST} deep`);
    if (this.#groups > groups) throw new BeyondBounds(`it has more than ${groups} objects and lists`);
    if (this.#separators > values) throw new BeyondBounds(`it has more than ${values} values`);
  }

  /** @returns how deep the chunk goes */
  #scan(chunk: Uint8Array): number {
    let [depth, groups, separators] = [this.#depth, this.#groups, this.#separators];
    let [isInText, isEscaped] = [this.#isInText, this.#isEscaped];
    let deepest = depth;
    // oxlint-disable-next-line typescript/prefer-for-of -- an iterator takes three times as long here
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInText = false;
      } else if (byte === QUOTE) isInText = true;
      else if (byte === COMMA) separators++;
      else if ((byte & ~BRACE) === OPENING) {
        groups++;
        if (++depth > deepest) deepest = depth;
      } else if ((byte & ~BRACE) === CLOSING) depth--;
    }
    [this.#depth, this.#groups, this.#separators] = [depth, groups, separators];
    [this.#isInText, this.#isEscaped] = [isInText, isEscaped];
    return deepest;
  }
}

export const tooLarge = ({ bytes }: AnswerBound): BeyondBounds =>
  new BeyondBounds(`it is larger than ${sizeInWords(bytes)}`);

const sizeInWords = (bytes: number): string => (bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`);
