// Admits WebSocket connections: by their token, and within the quota of its owner.
import type { Admission } from "../src/access/admission/admission.js";
import type { Call } from "../src/access/admission/call.js";
import type { Presented } from "../src/access/authenticate.js";
import { refusalFor } from "../src/db/databaseTrouble.js";
import { httpStatusOf } from "../src/errors/errors.js";
import { ACCEPTED, presentedBy } from "./arrival.js";
import type { LiveConnections } from "./liveConnections.js";
import type { SocketQuota } from "./socketQuota.js";
import { TRY_AGAIN_LATER } from "./webSocket.js";
import type { SocketConnection, ClientSocket } from "./clientSocket.js";

/** Status of the request log. */
const SWITCHING_PROTOCOLS = 101;

interface SocketConnectionsParts {
  readonly admission: Admission;
  /** For the request log. */
  readonly path: string;
  readonly quota: SocketQuota;
  readonly live: LiveConnections;
}

export class SocketConnections {
  readonly #parts: SocketConnectionsParts;

  constructor(parts: SocketConnectionsParts) {
    this.#parts = parts;
  }

  /** @returns whether the connection may stay; the protocol's server ends one that may not */
  async admit(connection: SocketConnection): Promise<boolean> {
    const { admission, path } = this.#parts;
    const { extra: client } = connection;
    // The log shows a connection as the GET that it begins with.
    const call = admission.call({ sourceIp: client.sourceIp, method: "GET", path });
    try {
      await this.#authenticate(client, call, presentedBy(connection));
      call.logSoon(SWITCHING_PROTOCOLS);
      return true;
    } catch (error) {
      const refusal = refusalFor(error);
      if (refusal === null) throw error;
      call.logSoon(httpStatusOf[refusal.kind]);
      // Distinguished from a bad token: clients connect again.
      if (refusal.kind === "unavailable") client.close(TRY_AGAIN_LATER, refusal.message);
      return false;
    }
  }

  /** @throws DroverError */
  async #authenticate(client: ClientSocket, call: Call, presented: Presented): Promise<void> {
    const viewer = await call.authenticate(presented, ACCEPTED);
    const refusal = this.#parts.quota.identify(client, viewer);
    if (refusal !== null) throw refusal;
    this.#parts.live.add({ client, presented, viewer });
  }
}
