// Answers what a guest is configured to be: present, pending and former values.
import type { ApiAnswer } from "../api.js";
import { parameterError } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { GuestType } from "../state/guest.js";
import { pendingRows, shownConfig, shownSnapshot } from "./config.js";
import { guestOf } from "./lookup.js";
import { snapshotRows } from "../snapshots/list.js";

/** `GET …/config`. */
export function readConfig(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    const { parameters, platform } = call;
    const snapshot = parameters.optional("snapshot");
    if (snapshot !== undefined && parameters.flag("current")) {
      const text = "cannot use 'snapshot' parameter with 'current'";
      throw parameterError({ snapshot: text, current: text });
    }
    const guest = guestOf(call, type);
    if (snapshot !== undefined) return answer(shownSnapshot(platform.release, guest, snapshot));
    return answer(shownConfig(platform.release, guest, parameters.flag("current")));
  };
}

/** `GET …/pending`. */
export function readPending(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => answer(pendingRows(call.platform.release, guestOf(call, type)));
}

/** `GET …/snapshot`. */
export function listSnapshots(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => answer(snapshotRows(guestOf(call, type)));
}
