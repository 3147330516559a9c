// Hands a guest's start or stop to high availability: the request is filed, and the manager acts on it at its next look.
import type { ApiAnswer } from "../api.js";
import type { Call } from "../route.js";
import type { Guest } from "../state/guest.js";
import { answerWithTask } from "./guestTask.js";

/** Simulated milliseconds until the manager looks again. */
const cycleMs = 10_000;

/** What is asked of the manager, and what it then does. */
interface ManagedRequest {
  verb: "start" | "stop";
  act: () => void;
}

/** Answers with the UPID of a task that ends when the request is filed; the guest is as it was then. */
export function fileRequest(call: Call, guest: Guest, { verb, act }: ManagedRequest): ApiAnswer {
  const name = guest.type === "qemu" ? "VM" : "CT";
  return answerWithTask(call, {
    type: `ha${verb}`,
    expectedMs: 500,
    run: async (task) => {
      task.log(`Requesting HA ${verb} for ${name} ${guest.vmid}`);
      await task.sleep(500);
      guest.hastate = verb === "start" ? "started" : "stopped";
      void actLater(call, guest, act);
    },
  });
}

async function actLater({ platform: { clock, state } }: Call, guest: Guest, act: () => void): Promise<void> {
  await clock.sleep(cycleMs);
  const isManaged = guest.hastate !== null && state.guests.get(guest.vmid) === guest;
  if (isManaged && state.nodes.get(guest.node)?.online === true) act();
}
