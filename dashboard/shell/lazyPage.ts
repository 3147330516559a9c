// Loads a page when it is first gone to, and not while the service is away: the router would give up the whole panel for it.
import { lazyRouteComponent } from "@tanstack/react-router";
import { untilReachable } from "../client/connection.js";

export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    await untilReachable();
    return load();
  }, name);
