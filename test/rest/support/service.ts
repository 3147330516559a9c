// Runs REST v1 over real HTTP and a database of its own.
import express, { type NextFunction, type Request, type Response } from "express";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buildDroverSchema } from "../../../resolvers/buildSchema.js";
import { mountRest } from "../../../rest/mount.js";
import { openAccess, type Access } from "../../../src/access/authenticate.js";
import { RequestLog } from "../../../src/access/requestLog.js";
import { mountHeartbeat } from "../../../heartbeat/mount.js";
import { requestIdOf } from "../../../src/http/requestId.js";
import { admissionOf } from "../../support/admission.js";
import { keptServer } from "../../support/keptServer.js";
import { createTestServices, type TestParts, type TestServices } from "../../support/services.js";

export interface RestService {
  /** `http://127.0.0.1:<port>/api/v1` */
  readonly base: string;
  readonly services: TestServices;
  readonly access: Access;
  readonly requestLog: RequestLog;
  close(): Promise<void>;
}

/** Starts a service on a free port. Requests from 127.0.0.1 are believed to be forwarded. */
export async function startRest(parts: TestParts): Promise<RestService> {
  const services = await createTestServices({ ...parts, config: { trustedProxies: ["127.0.0.1"], ...parts.config } });
  const access = openAccess(services);
  const requestLog = new RequestLog(services);
  const app = express();
  app.use((request: Request, response: Response, next: NextFunction) => {
    requestIdOf(request, response);
    next();
  });
  const admission = admissionOf(services, { access, requestLog });
  const heartbeats = mountHeartbeat(app, { services, admission });
  mountRest(app, { services, schema: buildDroverSchema(), admission });
  const server = keptServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    base: `http://127.0.0.1:${portOf(server.address())}/api/v1`,
    services,
    access,
    requestLog,
    async close() {
      await heartbeats.close();
      server.close();
      server.closeAllConnections();
      await Promise.all([access.close(), requestLog.close()]);
      await services.close();
    },
  };
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" ? (address?.port ?? 0) : 0;
