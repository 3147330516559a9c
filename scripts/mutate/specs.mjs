// Says which specs are nearest to a compiled file, and whether they need a database.
import { globSync } from "node:fs";

/** The first whose beginning fits counts; `pure` specs need nothing but the code. */
const NEAREST = [
  ["src/core/balance/", { pure: true, specs: ["core/balance"] }],
  ["src/core/evacuation/", { pure: true, specs: ["core/evacuation"] }],
  ["src/core/", { pure: true, specs: (file) => [file.replace(/^src\//, "").replace(/\/[^/]*$/, "")] }],
  ["jobs/engine/lease.", { specs: ["jobs/engine/lease.test.js"] }],
  ["jobs/engine/journal.", { specs: ["jobs/engine/journal.test.js"] }],
  [
    "jobs/engine/context.",
    { specs: ["jobs/engine/context.test.js", "jobs/engine/executor.test.js", "jobs/engine/order.test.js"] },
  ],
  [
    "jobs/engine/executor.",
    {
      specs: [
        "jobs/engine/executor.test.js",
        "jobs/engine/rollback.test.js",
        "jobs/engine/order.test.js",
        "jobs/engine/engineLog.test.js",
      ],
    },
  ],
  ["jobs/engine/effect.", { specs: ["jobs/engine/effect.test.js"] }],
  ["jobs/engine/serving.", { specs: ["jobs/engine/serving.test.js"] }],
  ["jobs/engine/slots.", { specs: ["jobs/engine/slots.test.js", "jobs/engine/serving.test.js"] }],
  ["jobs/engine/waits", { specs: ["jobs/engine/waits.test.js", "jobs/engine/executor.test.js"] }],
  ["jobs/engine/retry", { specs: ["jobs/engine/retry.test.js"] }],
  ["jobs/periodic/", { specs: ["jobs/periodic"] }],
  ["jobs/queue/", { specs: ["jobs/queue"] }],
  ["jobs/engine/worker", { specs: ["jobs/engine/worker.test.js"] }],
  ["jobs/engine/agentWait", { specs: ["jobs/engine/waits.test.js"] }],
  ["jobs/engine/registration", { specs: ["jobs/engine/drain.test.js"] }],
  ["jobs/engine/stepStates", { specs: ["jobs/engine/stepStates.test.js", "jobs/engine/rollback.test.js"] }],
  ["jobs/engine/step.", { specs: ["jobs/engine/executor.test.js", "jobs/engine/context.test.js"] }],
  ["jobs/engine/openClaim", { specs: ["jobs/engine/openClaim.test.js"] }],
  ["jobs/engine/proveLease", { specs: ["jobs/engine/proveLease.test.js"] }],
  ["jobs/engine/quiet", { specs: ["jobs/engine/quiet.test.js"] }],
  ["jobs/engine/", { specs: ["jobs/engine/fences.test.js"] }],
  ["jobs/guest/atRest", { specs: ["jobs/startedAgain.test.js"] }],
  ["jobs/guestDelete/", { specs: ["jobs/guestDelete.test.js", "jobs/startedAgain.test.js"] }],
  ["jobs/guestReinstall/", { specs: ["jobs/guestReinstall.test.js", "jobs/guestReinstallFaults.test.js"] }],
  ["jobs/run/", { specs: ["jobs/run", "jobs/engine/fences.test.js"] }],
  ["jobs/migration/", { specs: ["jobs/migration"] }],
  ["jobs/", { specs: ["jobs/guestCreate.test.js", "jobs/guestDelete.test.js", "jobs/startedAgain.test.js"] }],
  ["heartbeat/", { specs: ["heartbeat"] }],
  [
    "src/store/job/",
    {
      specs: [
        "store/heldJobs.test.js",
        "store/jobLease.test.js",
        "store/jobNeighbours.test.js",
        "store/jobJournal.test.js",
        "jobs/engine/fences.test.js",
        "jobs/engine/drain.test.js",
      ],
    },
  ],
  ["src/store/run/", { specs: ["jobs/run", "jobs/engine/fences.test.js"] }],
  ["src/store/", { specs: ["store", "placement", "inventory"] }],
  ["src/access/admission/", { specs: ["access/admission"] }],
  ["src/access/authenticate.", { specs: ["access/authenticate.test.js", "access/requestLog.test.js"] }],
  ["src/access/credentials.", { specs: ["access/authenticate.test.js", "access/requestLog.test.js"] }],
  ["src/access/lastUse.", { specs: ["access/authenticate.test.js"] }],
  ["src/access/loginAttempts.", { specs: ["actions/accounts/session.test.js"] }],
  ["src/access/key", { specs: ["access/publicKey.test.js"] }],
  ["src/access/secret", { specs: ["access/secretBox.test.js", "actions/host/hostSecret.test.js"] }],
  ["src/access/guest", { specs: ["access/guestAudience.test.js", "access/matrix.test.js"] }],
  ["src/access/owner.", { specs: ["actions/guest/guestOwner.test.js"] }],
  ["src/access/permit.", { specs: ["access/permit.test.js"] }],
  ["src/access/viewer.", { specs: ["access/visibility.test.js", "access/matrix.test.js"] }],
  [
    "src/access/visibility.",
    { specs: ["access/visibility.test.js", "access/matrix.test.js", "access/unseen.test.js"] },
  ],
  ["src/access/", { specs: (file) => [file.replace(/^src\//, "").replace(/js$/, "test.js")] }],
  ["src/host/", { specs: ["actions/guest", "jobs/migration/identity.test.js"] }],
  ["src/job/", { specs: ["job", "jobs/engine/openClaim.test.js"] }],
  ["src/placement/", { specs: ["placement"] }],
  ["src/migration/", { specs: ["migration", "jobs/migration"] }],
  ["src/run/", { specs: ["actions/run", "jobs/run"] }],
  ["src/actions/", { specs: (file) => [file.replace(/^src\//, "").replace(/\/[^/]*$/, "")] }],
];

/**
 * @param {string} file below `dist/`
 * @returns {{ specs: string[], pure: boolean }} the specs as paths
 * @throws Error when there are none: a mutant that no spec could notice says nothing
 */
export function nearestSpecs(dist, file) {
  const [, nearest] = NEAREST.find(([beginning]) => file.startsWith(beginning)) ?? [];
  if (nearest === undefined) throw new Error(`scripts/mutate/specs.mjs names no specs for ${file}`);
  const names = typeof nearest.specs === "function" ? nearest.specs(file) : nearest.specs;
  const specs = specsNamed(dist, names);
  if (specs.length === 0) throw new Error(`there are no specs ${names.join(", ")} for ${file}`);
  return { specs, pure: nearest.pure ?? false };
}

/** In the order of the names, so that what notices most comes first. @param {string[]} names files or folders below `dist/test/` */
export const specsNamed = (dist, names) =>
  names.flatMap((name) =>
    globSync(name.endsWith(".js") ? `${dist}/test/${name}` : `${dist}/test/${name}/**/*.test.js`).toSorted(),
  );
