// Counts every request that its handler has answered, by the pattern of its route.
import type { NextFunction, Request, Response } from "express";
import type { ServerResponse } from "node:http";
import { httpRequests } from "../observability/metrics.js";
import { wasRefused } from "./sentStatus.js";

const names = new WeakMap<ServerResponse, string>();

/** Sets the route label of a request that is not routed by Express, such as `/api/v1/hosts/{id}`. */
export function labelRoute(response: ServerResponse, route: string): void {
  names.set(response, route);
}

/** Counts a request that bypasses Express, once its answer has been sent. */
export function countAs(route: string): (response: ServerResponse) => void {
  // One function for all requests: thousands wait at the same time.
  function count(this: ServerResponse): void {
    if (!wasRefused(this)) httpRequests.inc({ method: this.req.method, route, status: this.statusCode });
  }
  return (response) => void response.on("finish", count);
}

/** Counts the request when its answer has been sent. */
export function countRequests(request: Request, response: Response, next: NextFunction): void {
  response.once("finish", () => {
    if (wasRefused(response)) return;
    const route = names.get(response) ?? patternOf(request);
    httpRequests.inc({ method: request.method, route, status: response.statusCode });
  });
  next();
}

/** Unrouted paths share one label to bound the cardinality. */
function patternOf(request: Request): string {
  const route: unknown = request.route;
  const path = typeof route === "object" && route !== null && "path" in route ? route.path : undefined;
  return typeof path === "string" ? request.baseUrl + path : "unknown";
}
