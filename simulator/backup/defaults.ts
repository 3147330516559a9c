// Answers what a backup does when nothing else is said.
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import { storageNamed } from "../storage/storages.js";

/** `GET …/vzdump/defaults`. */
export function backupDefaults({ parameters, platform }: Call): ApiAnswer {
  const storage = storageNamed(platform.state, parameters.optional("storage") ?? "local");
  return answer({
    all: 0,
    bwlimit: 0,
    compress: "0",
    dumpdir: `${storage.path}/dump`,
    fleecing: { enabled: 0 },
    ionice: 7,
    lockwait: 180,
    mailnotification: "always",
    mode: "snapshot",
    "notification-mode": "auto",
    performance: { "max-workers": 16, "pbs-entries-max": 1_048_576 },
    pigz: 0,
    "prune-backups": storage.options?.["prune-backups"] ?? "keep-all=1",
    quiet: 0,
    remove: 1,
    stdexcludes: 1,
    stop: 0,
    stopwait: 10,
    storage: storage.name,
    zstd: 1,
  });
}
