// Lists replication jobs, and refuses what they forbid.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { nodeOf } from "./lookup.js";

const jobId = ({ vmid }: Guest): string => `${vmid}-0`;

/** `GET /nodes/{node}/replication`: the jobs of the node's guests that the caller may see. */
export function listReplication(call: Call): ApiAnswer {
  const { platform, parameters, identity } = call;
  const wanted = parameters.number("guest");
  const rows = [...platform.state.guests.values()]
    .filter(({ node, vmid }) => node === nodeOf(call) && (wanted === undefined || vmid === wanted))
    .filter(({ vmid }) => platform.permissions.has(identity.label, `/vms/${vmid}`, ["VM.Audit"]))
    .flatMap((guest) =>
      guest.replicatedTo === null
        ? []
        : [
            {
              id: jobId(guest),
              type: "local",
              guest: guest.vmid,
              jobnum: 0,
              source: guest.node,
              target: guest.replicatedTo,
              schedule: "*/15",
              vmtype: guest.type,
            },
          ],
    );
  return answer(rows);
}

/** @throws ApiError when a guest that has such a job is to be removed and the job is to stay */
export function checkReplication(guest: Guest): void {
  if (guest.replicatedTo === null) return;
  throw failure(`There is a replication job '${jobId(guest)}' for guest '${guest.vmid}' - Please remove that first.`);
}
