// A small stand-in for a MongoDB server: it speaks the wire protocol and keeps documents in memory, so that the real driver can be tested.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { BSON, type Document } from "mongodb";
import { ChangeStreams } from "./changeStream.js";
import { change, find } from "./documents.js";
import { ScramConversation } from "./scram.js";
import { answerTo, Commands, type Command } from "./wire.js";

interface StandInOptions {
  /** Set: a client must prove that it knows them. */
  readonly account?: { readonly user: string; readonly password: string };
  /** Set: a replica set of that name, with change streams. */
  readonly replicaSet?: string;
  /** Commands that this user has no right to. */
  readonly forbidden?: readonly string[];
  /** Commands that are only carried out by a primary, which it is no longer. */
  readonly notPrimaryFor?: readonly string[];
  /** 0 takes a free port. */
  readonly port?: number;
}

const failure = (code: number, codeName: string, errmsg: string): Document => ({ ok: 0, code, codeName, errmsg });
const UNAUTHENTICATED = failure(13, "Unauthorized", "Command requires authentication");
const AUTHENTICATION_FAILED = failure(18, "AuthenticationFailed", "Authentication failed.");
/** What a server of version 8 says of itself. */
const HELLO = {
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  readOnly: false,
  minWireVersion: 8,
  maxWireVersion: 25,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  connectionId: 1,
};
const WITHOUT_ACCOUNT = new Set(["hello", "ismaster", "isMaster", "saslStart", "saslContinue"]);

/** A server that listens on a port of 127.0.0.1. */
export class MongoStandIn {
  readonly #options: StandInOptions;
  readonly #sockets = new Set<Socket>();
  readonly #collections = new Map<string, Document[]>();
  readonly #streams = new ChangeStreams();
  readonly #processId = new BSON.ObjectId();
  readonly #server: Server;
  /** Names of the commands that came, in order. */
  readonly asked: string[] = [];

  private constructor(options: StandInOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(options: StandInOptions = {}): Promise<MongoStandIn> {
    const standIn = new MongoStandIn(options);
    await standIn.listen(options.port ?? 0);
    return standIn;
  }

  /** Listens, at first and after `goAway`. */
  async listen(port: number): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The stand-in of MongoDB has no port");
    return address.port;
  }

  /** How many change streams are open. */
  get followers(): number {
    return this.#streams.count;
  }

  documents(collection: string): readonly Document[] {
    return this.#collections.get(collection) ?? [];
  }

  /** Loses the collection with all its documents, as an operator's mistake or a restore does. */
  drop(collection: string): void {
    this.#collections.delete(collection);
    this.#streams.note({ operationType: "drop" });
  }

  /** Ends all connections and refuses further ones; documents are kept. */
  async goAway(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.goAway();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const commands = new Commands();
    const session = { isKnown: this.#options.account === undefined, conversation: null };
    socket.on("data", (bytes: Buffer) => {
      for (const command of commands.add(bytes)) void this.#answer(socket, session, command);
    });
    // A client may leave at any time.
    socket.on("error", () => socket.destroy()).on("close", () => this.#sockets.delete(socket));
  }

  async #answer(socket: Socket, session: Session, command: Command): Promise<void> {
    const [name = ""] = Object.keys(command.body);
    this.asked.push(name);
    if (command.body["topologyVersion"] !== undefined) return this.#keepTelling(socket, command);
    const answer = await this.#carryOut(name, command.body, session);
    if (!socket.destroyed) socket.write(answerTo(command, { ok: 1, ...answer }));
  }

  /** A driver that watches the server is told its state whenever the time is up, and learns at once when the connection ends. */
  #keepTelling(socket: Socket, command: Command): void {
    const tell = (): boolean => socket.write(answerTo(command, { ok: 1, ...this.#hello() }, true));
    const telling = setInterval(tell, Number(command.body["maxAwaitTimeMS"]));
    socket.once("close", () => clearInterval(telling));
  }

  async #carryOut(name: string, body: Document, session: Session): Promise<Document> {
    if (!session.isKnown && !WITHOUT_ACCOUNT.has(name)) return UNAUTHENTICATED;
    if (this.#options.forbidden?.includes(name) === true) {
      return failure(13, "Unauthorized", `not authorized on ${String(body["$db"])} to execute command ${name}`);
    }
    if (this.#options.notPrimaryFor?.includes(name) === true)
      return failure(10_107, "NotWritablePrimary", "not primary");
    switch (name) {
      case "hello":
      case "ismaster":
      case "isMaster":
        return this.#hello();
      case "saslStart":
      case "saslContinue":
        return this.#authenticate(name, body, session);
      case "ping":
      case "endSessions":
      case "createIndexes":
        return {};
      case "getMore":
        return this.#more(body);
      case "killCursors":
        for (const id of body["cursors"]) this.#streams.close(Number(id));
        return {};
      default:
        return this.#onCollection(name, String(body[name]), body);
    }
  }

  #hello(): Document {
    const { replicaSet } = this.#options;
    const me = `127.0.0.1:${this.port}`;
    const ofSet =
      replicaSet === undefined ? {} : { setName: replicaSet, hosts: [me], me, primary: me, secondary: false };
    return {
      ...HELLO,
      ...ofSet,
      topologyVersion: { processId: this.#processId, counter: BSON.Long.ZERO },
      localTime: new Date(),
      ...(this.#options.account === undefined ? {} : { saslSupportedMechs: ["SCRAM-SHA-256"] }),
    };
  }

  #authenticate(name: string, body: Document, session: Session): Document {
    const { account } = this.#options;
    if (account === undefined || !(body["payload"] instanceof BSON.Binary)) return AUTHENTICATION_FAILED;
    const payload = Buffer.from(body["payload"].buffer).toString();
    if (name === "saslStart") {
      session.conversation = new ScramConversation(account);
      const challenge = session.conversation.begin(payload);
      return { conversationId: 1, done: false, payload: new BSON.Binary(Buffer.from(challenge)) };
    }
    const proof = session.conversation?.finish(payload) ?? null;
    if (proof === null) return AUTHENTICATION_FAILED;
    session.isKnown = true;
    return { conversationId: 1, done: true, payload: new BSON.Binary(Buffer.from(proof)) };
  }

  async #more(body: Document): Promise<Document> {
    const cursor = await this.#streams.more(Number(body["getMore"]));
    return cursor === null
      ? failure(43, "CursorNotFound", "cursor id not found")
      : { cursor: { ns: `db.${String(body["collection"])}`, ...cursor } };
  }

  #onCollection(name: string, collection: string, body: Document): Document {
    const documents = this.#collections.get(collection) ?? [];
    switch (name) {
      case "insert":
        this.#collections.set(collection, [...documents, ...body["documents"]]);
        for (const fullDocument of body["documents"]) this.#streams.note({ operationType: "insert", fullDocument });
        return { n: body["documents"].length };
      case "find":
        return {
          cursor: {
            ns: `db.${collection}`,
            id: BSON.Long.ZERO,
            firstBatch: find(documents, body["filter"], body["sort"]),
          },
        };
      case "findAndModify": {
        const [found] = find(documents, body["query"], body["sort"]);
        if (found !== undefined) this.#change(found, body["update"]);
        else if (body["upsert"] === true) return { value: this.#upsert(collection, body), lastErrorObject: { n: 1 } };
        return { value: found ?? null, lastErrorObject: { n: found === undefined ? 0 : 1 } };
      }
      case "update":
        return this.#update(documents, body["updates"]);
      case "delete": {
        const gone = body["deletes"].flatMap(({ q }: Document) => find(documents, q));
        this.#collections.set(
          collection,
          documents.filter((each) => !gone.includes(each)),
        );
        return { n: gone.length };
      }
      case "aggregate":
        if (body["pipeline"][0]["$changeStream"] === undefined) {
          const counted = [{ _id: 1, n: find(documents, body["pipeline"][0]["$match"]).length }];
          return { cursor: { ns: `db.${collection}`, id: BSON.Long.ZERO, firstBatch: counted } };
        }
        if (this.#options.replicaSet === undefined) {
          return failure(40_573, "Location40573", "The $changeStream stage is only supported on replica sets");
        }
        return { cursor: { ns: `db.${collection}`, ...this.#streams.open(body["pipeline"]) } };
      default:
        return failure(59, "CommandNotFound", `no such command: '${name}'`);
    }
  }

  #upsert(collection: string, { query, update }: Document): Document {
    const { $setOnInsert, ...rest } = update;
    const fullDocument: Document = { _id: new BSON.ObjectId(), ...query, ...$setOnInsert };
    change(fullDocument, rest);
    this.#collections.set(collection, [...(this.#collections.get(collection) ?? []), fullDocument]);
    this.#streams.note({ operationType: "insert", fullDocument });
    return fullDocument;
  }

  #update(documents: readonly Document[], updates: readonly Document[]): Document {
    let changed = 0;
    for (const { q, u, multi } of updates) {
      for (const document of find(documents, q).slice(0, multi === true ? undefined : 1)) {
        this.#change(document, u);
        changed++;
      }
    }
    return { n: changed, nModified: changed };
  }

  #change(document: Document, update: Document): void {
    change(document, update);
    this.#streams.note({ operationType: "update", fullDocument: { ...document } });
  }
}

/** What the server knows of one connection. */
interface Session {
  isKnown: boolean;
  conversation: ScramConversation | null;
}
