// All endpoints of REST v1 but the agent's heartbeat.
import type { Route } from "../route.js";
import { catalogueRoutes } from "./catalogue.js";
import { guestCreationRoutes } from "./guestCreation.js";
import { guestRoutes } from "./guests.js";
import { hostRoutes } from "./hosts.js";
import { jobRoutes } from "./jobs.js";
import { placementRoutes } from "./placement.js";
import { userRoutes } from "./users.js";

export const routes: readonly Route[] = [
  ...hostRoutes,
  ...catalogueRoutes,
  ...guestRoutes,
  ...guestCreationRoutes,
  ...jobRoutes,
  ...placementRoutes,
  ...userRoutes,
];
