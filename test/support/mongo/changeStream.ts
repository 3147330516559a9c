// The change streams of one collection: what happened to it, in order, for those who follow it; dropping it ends every stream.
import { BSON, type Document } from "mongodb";
import { matches } from "./documents.js";

/** How long a request for more is held when nothing happened. */
const HOLD_MS = 200;

interface Stream {
  readonly wanted: Document;
  /** Number of the last event that it has seen. */
  seen: number;
}

const tokenOf = (number: number): Document => ({ _data: number.toString(16).padStart(16, "0") });

export class ChangeStreams {
  readonly #events: Document[] = [];
  readonly #streams = new Map<number, Stream>();
  #opened = 0;
  #news = Promise.withResolvers<void>();

  /** Notes that a document was inserted or changed, or that the collection was dropped. */
  note(event: Document): void {
    this.#events.push({ _id: tokenOf(this.#events.length + 1), ...event });
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** How many follow at present. */
  get count(): number {
    return this.#streams.size;
  }

  /** Begins a stream; one that is resumed sees again whatever came after its token. */
  open([first = {}, match = {}]: readonly Document[]): Document {
    const after = first["$changeStream"]?.resumeAfter?.["_data"];
    const id = ++this.#opened;
    const seen = after === undefined ? this.#events.length : Number.parseInt(String(after), 16);
    this.#streams.set(id, { wanted: match["$match"] ?? {}, seen });
    return { id: BSON.Long.fromNumber(id), firstBatch: [], postBatchResumeToken: tokenOf(seen) };
  }

  /** The next events of a stream, once there are some or a while has passed; null: there is no such stream. */
  async more(id: number): Promise<Document | null> {
    const stream = this.#streams.get(id);
    if (stream === undefined) return null;
    if (stream.seen === this.#events.length) await this.#somethingHappens();
    const nextBatch: Document[] = [];
    for (const event of this.#events.slice(stream.seen)) {
      stream.seen++;
      if (matches(event, stream.wanted)) nextBatch.push(event);
      if (event["operationType"] !== "drop") continue;
      nextBatch.push({ _id: event["_id"], operationType: "invalidate" });
      this.close(id);
      return { id: BSON.Long.ZERO, nextBatch };
    }
    return { id: BSON.Long.fromNumber(id), nextBatch, postBatchResumeToken: tokenOf(stream.seen) };
  }

  close(id: number): void {
    this.#streams.delete(id);
  }

  async #somethingHappens(): Promise<void> {
    const held = Promise.withResolvers<void>();
    const timer = setTimeout(held.resolve, HOLD_MS);
    await Promise.race([this.#news.promise, held.promise]);
    clearTimeout(timer);
  }
}
