// Which WebSocket connections are looked at again when a credential may have ended.
import assert from "node:assert/strict";
import { LiveConnections } from "../../graphql/liveConnections.js";
import type { ClientSocket } from "../../graphql/clientSocket.js";
import type { Access } from "../../src/access/authenticate.js";
import type { Events, Topic } from "../../src/events/events.js";
import { anonymous, tokenViewer } from "../support/context.js";
import { silentLog } from "../support/log.js";

const AUTHORIZATION = "Bearer x";

/** The announcements of one process, told by hand. */
class Announcements implements Events {
  readonly #heard = new Map<Topic, () => void>();

  on(topic: Topic, heard: (id: number) => void): () => void {
    this.#heard.set(topic, () => heard(0));
    return () => this.#heard.delete(topic);
  }
  emitLocal(topic: Topic): void {
    this.#heard.get(topic)?.();
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the request is only passed on
const client = (isOpen = true): ClientSocket => ({ isOpen, close: () => undefined }) as unknown as ClientSocket;
const connection = (of: ClientSocket) => ({
  client: of,
  presented: { authorization: AUTHORIZATION },
  viewer: anonymous,
});

describe("graphql/liveConnections", () => {
  const events = new Announcements();
  let identified: number;
  let live: LiveConnections;

  const access: Access = {
    authenticate: () => assert.fail("nobody arrives"),
    identify: () => {
      identified += 1;
      return Promise.resolve(tokenViewer());
    },
    agentNodeId: () => assert.fail("no agent asks"),
    close: () => Promise.resolve(),
  };
  beforeEach(() => {
    identified = 0;
    live = new LiveConnections({ events, log: silentLog }, access);
  });
  afterEach(() => live.close());

  it("looks at those that live, and no longer at those that ended", () => {
    const [staying, leaving] = [client(), client()];
    for (const one of [staying, leaving]) live.add(connection(one));
    live.remove(leaving);
    events.emitLocal("access");
    assert.equal(identified, 1);
  });

  it("keeps nothing of one that ended before it was let in", () => {
    live.add(connection(client(false)));
    events.emitLocal("access");
    assert.equal(identified, 0);
  });
});
