// Answers requests with 503 while the service starts, in the format of each API.
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { graphqlCodeOf } from "../../src/errors/errors.js";
import type { Health } from "../../src/observability/health.js";

const MESSAGE = "The service is starting";
const RETRY_SECONDS = 2;
const GRAPHQL = /^\/graphql(\/|$)/;

/** Refuses everything (503) until the service can serve. */
export const refuseWhileStarting =
  (health: Health): RequestHandler =>
  (request: Request, response: Response, next: NextFunction) => {
    if (health.phase !== "starting") return next();
    response.status(503).set({ "Retry-After": String(RETRY_SECONDS), "Cache-Control": "no-store" });
    response.json(GRAPHQL.test(request.path) ? { errors: [ERROR] } : { success: false, data: null, error: MESSAGE });
  };

const ERROR = {
  message: MESSAGE,
  extensions: { code: graphqlCodeOf.unavailable, reason: "STARTING", retryAfterSeconds: RETRY_SECONDS },
};
