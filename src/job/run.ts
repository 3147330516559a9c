// What an evacuation or a balance run stores as JSON: no more than what every job remembers; its guests have rows of their own.
import { z } from "zod";
import { jobFacts } from "./jobFacts.js";
import type { Shape } from "./shape.js";

export const run: Shape = { input: z.object({}), facts: jobFacts, upgrades: [(stored) => stored] };
