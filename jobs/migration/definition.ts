// The steps of a move: check again, test the connection, make a token, transfer; then address, forwards, records, safety copy, end.
import { JobKind } from "../../src/core/enums.js";
import { define } from "../engine/step.js";
import { finished } from "./finished.js";
import { ipPlan } from "./ipPlan.js";
import { portForwards } from "./portForwards.js";
import { preflight } from "./preflight.js";
import { reachability } from "./reachability.js";
import { records } from "./records.js";
import { safetyCopy } from "./safetyCopy.js";
import { targetToken } from "./targetToken.js";
import { transfer } from "./transfer.js";

export const migration = define({
  kind: JobKind.MIGRATION,
  steps: [preflight, reachability, targetToken, transfer, ipPlan, portForwards, records, safetyCopy, finished],
});
