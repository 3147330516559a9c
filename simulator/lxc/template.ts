// Turns a container into a template.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { startGuestTask } from "../guests/guestTask.js";
import { guestOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import { isTemplate } from "../state/guest.js";
import { volumeId } from "../state/storage.js";
import { convertToBase, findVolume } from "../storage/volumes.js";
import { mountPointsOf, printMountPoint } from "./mountPoints.js";

/** `POST …/template` → null, although a task does the work. */
export function makeContainerTemplate(call: Call): ApiAnswer {
  const { platform } = call;
  const guest = guestOf(call, "lxc");
  checkLock(guest);
  if (guest.snapshots.size > 0) throw failure("unable to create template, because CT contains snapshots");
  if (isTemplate(guest)) throw failure("you can't convert a template to a template");
  if (guest.runtime !== null) throw failure("you can't convert a CT to template if the CT is running");
  startGuestTask(call, {
    type: "vztemplate",
    expectedMs: 300,
    run: async (task) => {
      await task.sleep(200);
      for (const [key, mountPoint] of mountPointsOf(platform.release, guest.config)) {
        const volume = findVolume(platform, mountPoint.volume, guest.node);
        if (volume === null) continue;
        convertToBase(volume);
        guest.config[key] = printMountPoint(platform.release, key, { ...mountPoint, volume: volumeId(volume) });
      }
      guest.config.template = "1";
    },
  });
  return answer(null);
}
