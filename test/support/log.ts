// A logger that says nothing.
import { createLogger } from "../../src/observability/log.js";

export const silentLog = createLogger("silent", "test");
