// Bare `node:http`: a server that does nothing but keep requests waiting.
import { serve } from "./serve.js";

/** Reads each request and leaves it without an answer. @returns its base URL */
export const startHolding = (): Promise<string> => serve((request) => void request.resume());
