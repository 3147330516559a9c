// The admission of a test's service.
import { Admission } from "../../src/access/admission/admission.js";
import type { Pressure } from "../../src/access/admission/load.js";
import type { Access } from "../../src/access/authenticate.js";
import type { RequestLog } from "../../src/access/requestLog.js";
import type { Stopwatch } from "../../src/concurrency/stopwatch.js";
import type { Services } from "../../src/context/context.js";

interface AdmissionParts {
  readonly access: Access;
  readonly requestLog: RequestLog;
  readonly pressure?: Pressure;
  readonly stopwatch?: Stopwatch;
}

/** Admission with the limits of the services' configuration. */
export const admissionOf = ({ clock, log, config }: Services, parts: AdmissionParts): Admission =>
  new Admission({
    clock,
    log,
    limits: config.limits,
    trustedProxies: config.trustedProxies,
    url: config.url,
    ...parts,
  });

/** Knows agents only, by this look-up; every other use fails. */
export const agentsOnly = (agentNodeId: Access["agentNodeId"]): Access => ({
  agentNodeId,
  authenticate: () => Promise.reject(new Error("only agents are known")),
  identify: () => Promise.reject(new Error("only agents are known")),
  close: () => Promise.resolve(),
});
