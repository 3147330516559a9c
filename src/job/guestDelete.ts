// What a deletion stores, of a guest or of a safety copy: no more than what every job remembers.
import { z } from "zod";
import { jobFacts } from "./jobFacts.js";
import type { Shape } from "./shape.js";

export const guestDelete: Shape = { input: z.object({}), facts: jobFacts, upgrades: [(stored) => stored] };
