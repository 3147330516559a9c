// Admits WebSocket connections: by their token, and within the quota of its owner.
import type { Access } from "../src/access/authenticate.js";
import { refusalFor } from "../src/db/databaseTrouble.js";
import type { RequestLog } from "../src/access/requestLog.js";
import type { Services } from "../src/context/context.js";
import { httpStatusOf } from "../src/errors/errors.js";
import { ACCEPTED, arrivalOverSocket, type Arrived } from "./arrival.js";
import type { LiveConnections } from "./liveConnections.js";
import type { SocketQuota } from "./socketQuota.js";
import { beginRow, type RowOf } from "./socketRow.js";
import { TRY_AGAIN_LATER } from "./webSocket.js";
import type { Connection, Wire } from "./wire.js";

/** Status of the request log. */
const SWITCHING_PROTOCOLS = 101;

interface SocketDoorParts {
  readonly services: Pick<Services, "clock">;
  readonly access: Access;
  readonly requestLog: RequestLog;
  /** For the request log. */
  readonly path: string;
  readonly quota: SocketQuota;
  readonly live: LiveConnections;
}

/** The door of all connections. */
export class SocketDoor {
  readonly #parts: SocketDoorParts;

  constructor(parts: SocketDoorParts) {
    this.#parts = parts;
  }

  /** @returns whether the connection may stay; the protocol's server ends one that may not */
  async letIn(connection: Connection): Promise<boolean> {
    const arrived = arrivalOverSocket(connection);
    const row = beginRow(this.#parts, "GET", arrived.sourceIp);
    try {
      return await this.#admit(connection.extra, arrived, row);
    } catch (error) {
      const refusal = refusalFor(error);
      if (refusal === null) throw error;
      this.#parts.requestLog.record(row(null, httpStatusOf[refusal.kind]));
      // To be told apart from a bad token: clients come again by themselves.
      connection.extra.close(TRY_AGAIN_LATER, refusal.message);
      return false;
    }
  }

  async #admit(wire: Wire, arrived: Arrived, row: RowOf): Promise<boolean> {
    const { access, requestLog, quota, live } = this.#parts;
    const admission = await access.authenticate(arrived, ACCEPTED);
    const refusal = admission.admitted ? quota.identify(wire, admission.viewer) : admission.refusal;
    requestLog.record(row(admission.token, refusal === null ? SWITCHING_PROTOCOLS : httpStatusOf[refusal.kind]));
    if (refusal?.kind === "unavailable") wire.close(TRY_AGAIN_LATER, refusal.message);
    if (!admission.admitted || refusal !== null) return false;
    live.add({ wire, authorization: arrived.authorization, viewer: admission.viewer });
    return true;
  }
}
