// Lists replication jobs, and refuses what they forbid.
import { createHash } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { nodeOf } from "./lookup.js";

const jobId = ({ vmid }: Guest): string => `${vmid}-0`;

/** `GET /nodes/{node}/replication`: the jobs of the node's guests that the caller may see. */
export function listReplication(call: Call): ApiAnswer {
  const wanted = call.parameters.number("guest");
  const guests = visibleGuests(call).filter(
    ({ node, vmid }) => node === nodeOf(call) && (wanted === undefined || vmid === wanted),
  );
  return answer(guests.map((guest) => ({ ...jobOf(guest), vmtype: guest.type })));
}

/** `GET /cluster/replication`: the jobs of all guests that the caller may see. */
export function listJobs(call: Call): ApiAnswer {
  return answer(visibleGuests(call).map(jobOf));
}

/** `GET /cluster/replication/{id}`. */
export function readJob(call: Call): ApiAnswer {
  const guest = guestOfJob(call, () => true);
  const digest = createHash("sha1")
    .update(JSON.stringify(jobOf(guest)))
    .digest("hex");
  return answer({ ...jobOf(guest), digest });
}

/** `GET /nodes/{node}/replication/{id}/status`. */
export function readJobStatus(call: Call): ApiAnswer {
  const guest = guestOfJob(call, ({ node }) => node === nodeOf(call));
  return answer({ ...jobOf(guest), vmtype: guest.type });
}

const jobOf = (guest: Guest): Record<string, unknown> => ({
  id: jobId(guest),
  type: "local",
  guest: guest.vmid,
  jobnum: 0,
  source: guest.node,
  target: guest.replicatedTo,
  schedule: "*/15",
});

function visibleGuests({ platform, identity }: Call): Guest[] {
  return [...platform.state.guests.values()].filter(
    ({ replicatedTo, vmid }) =>
      replicatedTo !== null && platform.permissions.has(identity.label, `/vms/${vmid}`, ["VM.Audit"]),
  );
}

/** Guest of the job that the path names. @throws ApiError where there is none, or the caller may not see it */
function guestOfJob({ platform, identity, parameters }: Call, fits: (guest: Guest) => boolean): Guest {
  const id = parameters.text("id");
  const guest = [...platform.state.guests.values()].find((one) => one.replicatedTo !== null && jobId(one) === id);
  if (guest === undefined || !fits(guest)) throw failure(`no such replication job '${id}'`);
  platform.permissions.check(identity.label, `/vms/${guest.vmid}`, ["VM.Audit"]);
  return guest;
}

/** @throws ApiError when a guest that has such a job is to be removed and the job is to stay */
export function checkReplication(guest: Guest): void {
  if (guest.replicatedTo === null) return;
  throw failure(`There is a replication job '${jobId(guest)}' for guest '${guest.vmid}' - Please remove that first.`);
}
