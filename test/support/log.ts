// A logger that says nothing.
import { createLogger } from "../../src/log.js";

export const silentLog = createLogger("silent", "test");
