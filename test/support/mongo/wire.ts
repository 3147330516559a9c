// The wire protocol of MongoDB as far as its driver needs it: frames, OP_MSG, and the old query that opens a connection.
import { BSON, type Document } from "mongodb";

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const MORE_TO_COME = 2;

/** One command of a client. */
export interface Command {
  readonly requestId: number;
  readonly isOldQuery: boolean;
  readonly body: Document;
}

/** Splits a stream of bytes into commands. */
export class Commands {
  #rest: Buffer = Buffer.alloc(0);

  /** @returns the commands that are complete with these bytes */
  add(bytes: Buffer): Command[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const commands: Command[] = [];
    while (this.#rest.length >= 4 && this.#rest.length >= this.#rest.readInt32LE(0)) {
      const length = this.#rest.readInt32LE(0);
      commands.push(parse(this.#rest.subarray(0, length)));
      this.#rest = this.#rest.subarray(length);
    }
    return commands;
  }
}

function parse(frame: Buffer): Command {
  const requestId = frame.readInt32LE(4);
  const code = frame.readInt32LE(12);
  if (code === OP_MSG) return { requestId, isOldQuery: false, body: messageBody(frame) };
  if (code === OP_QUERY) return { requestId, isOldQuery: true, body: queryBody(frame) };
  throw new Error(`The stand-in of MongoDB does not know the operation ${code}`);
}

/** Flags, the collection's name, skip and limit stand before the document. */
function queryBody(frame: Buffer): Document {
  const nameEnd = frame.indexOf(0, HEADER_BYTES + 4);
  return BSON.deserialize(frame.subarray(nameEnd + 1 + 8));
}

/** Sections of kind 0 are the body itself, those of kind 1 a list of documents with the name of their field. */
function messageBody(frame: Buffer): Document {
  const body: Document = {};
  for (let at = HEADER_BYTES + 4; at < frame.length;) {
    const kind = frame.readUInt8(at);
    const length = frame.readInt32LE(at + 1);
    const section = frame.subarray(at + 1, at + 1 + length);
    if (kind === 0) Object.assign(body, BSON.deserialize(section));
    else Object.assign(body, namedDocuments(section));
    at += 1 + length;
  }
  return body;
}

function namedDocuments(section: Buffer): Document {
  const nameEnd = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let at = nameEnd + 1; at < section.length; at += section.readInt32LE(at)) {
    documents.push(BSON.deserialize(section.subarray(at, at + section.readInt32LE(at))));
  }
  return { [section.toString("utf8", 4, nameEnd)]: documents };
}

/** The frame of an answer. @param moreToCome whether further answers follow without being asked for */
export function answerTo({ requestId, isOldQuery }: Command, body: Document, moreToCome = false): Buffer {
  const document = Buffer.from(BSON.serialize(body, { ignoreUndefined: true }));
  const before = isOldQuery ? oldReplyPrefix() : Buffer.alloc(5);
  if (moreToCome) before.writeInt32LE(MORE_TO_COME, 0);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + before.length + document.length, 0);
  header.writeInt32LE(requestId, 8);
  header.writeInt32LE(isOldQuery ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, before, document]);
}

/** Flags, a cursor of eight bytes, where the answer begins, and how many documents follow: one. */
function oldReplyPrefix(): Buffer {
  const prefix = Buffer.alloc(20);
  prefix.writeInt32LE(1, 16);
  return prefix;
}
