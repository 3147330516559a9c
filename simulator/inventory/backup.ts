// Lists backup jobs.
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";

const usual = { type: "vzdump", enabled: 1, mode: "snapshot", storage: "local", schedule: "02:30" };

/** `GET /cluster/backup`: the job that names guests, and the one for all of them. */
export function listBackupJobs({ platform: { state } }: Call): ApiAnswer {
  const vmid = [...state.backedUp].join(",");
  return answer([
    ...(vmid === "" ? [] : [{ ...usual, id: "backup-named", vmid }]),
    ...(state.backsUpAll ? [{ ...usual, id: "backup-all", all: 1 }] : []),
  ]);
}
