// Collects the body of one answer as text, within its bound; of a large one no copy of the bytes is kept beside the text.
import { StringDecoder } from "node:string_decoder";
import { OF_A_REFUSAL, type AnswerBound } from "./answerBounds.js";
import { AnswerGauge, BeyondBounds, tooLarge } from "./answerGauge.js";
import { plain } from "./contentCoding.js";

/** A body that comes in. */
export interface AnswerBody {
  /** @returns whether more of it is wanted @throws BeyondBounds */
  add(chunk: Buffer): boolean;
  /** What came of it. @throws BeyondBounds; KnownFault when it is not compressed as its head says */
  text(): Promise<string>;
}

/**
 * The body of an answer that grants what was asked.
 * @param coding as `codingOf` reads it
 */
export const grantedBody = (bound: AnswerBound, coding: string | null): AnswerBody =>
  coding === null ? new PlainBody(bound) : new CompressedBody(bound, coding);

/** The body of a refusal: of one that is beyond its bound the status alone counts. */
export const refusedBody = (coding: string | null): AnswerBody => new RefusedBody(grantedBody(OF_A_REFUSAL, coding));

class PlainBody implements AnswerBody {
  readonly #decoder = new StringDecoder("utf8");
  readonly #gauge: AnswerGauge;
  #text = "";

  constructor(bound: AnswerBound) {
    this.#gauge = new AnswerGauge(bound);
  }

  add(chunk: Buffer): true {
    this.#gauge.add(chunk);
    this.#text += this.#decoder.write(chunk);
    return true;
  }

  text(): Promise<string> {
    return Promise.resolve(this.#text + this.#decoder.end());
  }
}

class CompressedBody implements AnswerBody {
  readonly #bound: AnswerBound;
  readonly #coding: string;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bound: AnswerBound, coding: string) {
    this.#bound = bound;
    this.#coding = coding;
  }

  add(chunk: Buffer): true {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bound.bytes) throw tooLarge(this.#bound);
    this.#chunks.push(chunk);
    return true;
  }

  async text(): Promise<string> {
    if (this.#chunks.length === 0) return "";
    const body = await plain(Buffer.concat(this.#chunks), this.#coding, this.#bound);
    new AnswerGauge(this.#bound).add(body);
    return body.toString("utf8");
  }
}

class RefusedBody implements AnswerBody {
  #body: AnswerBody | null;

  constructor(body: AnswerBody) {
    this.#body = body;
  }

  add(chunk: Buffer): boolean {
    try {
      this.#body?.add(chunk);
    } catch (error) {
      if (!(error instanceof BeyondBounds)) throw error;
      this.#body = null;
    }
    return this.#body !== null;
  }

  async text(): Promise<string> {
    try {
      return (await this.#body?.text()) ?? "";
    } catch (error) {
      if (error instanceof BeyondBounds) return "";
      throw error;
    }
  }
}
