// Answers what single snapshots are, changes their description and rolls guests back to them.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import type { Guest, GuestType, Snapshot } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import { checkLock, configTable, typedValue } from "./config.js";
import { answerWithTask } from "./guestTask.js";
import { guestOf, guestOn, nodeOf } from "./lookup.js";

/** Starts a guest after a rollback. */
type Start = (call: Call, guest: Guest) => void;

function named(call: Call, guest: Guest): Snapshot {
  const name = call.parameters.text("snapname");
  const snapshot = guest.snapshots.get(name);
  if (snapshot === undefined) throw failure(`snapshot '${name}' does not exist`);
  return snapshot;
}

/** `GET …/snapshot/{snapname}/config`. */
export function readSnapshot(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    const { config, snaptime, description, parent } = named(call, guestOf(call, type));
    const table = configTable(call.platform.release, type);
    const values = Object.entries(config).map(([key, value]) => [key, typedValue(table, key, value)] as const);
    return answer({
      ...Object.fromEntries(values),
      snaptime,
      ...(description === "" ? {} : { description }),
      ...(parent === null ? {} : { parent }),
    });
  };
}

/** `PUT …/snapshot/{snapname}/config`. */
export function describeSnapshot(type: GuestType): (call: Call) => Promise<ApiAnswer> {
  return async (call) => {
    const guest = guestOf(call, type);
    await call.platform.locks.hold(guest, () => {
      checkLock(guest);
      const snapshot = named(call, guest);
      snapshot.description = call.parameters.optional("description") ?? snapshot.description;
    });
    return answer(null);
  };
}

/** `POST …/snapshot/{snapname}/rollback` → UPID; a running guest is stopped first. */
export function rollback(type: GuestType, start: Start): (call: Call) => ApiAnswer {
  return (call) => {
    const { platform, identity, parameters } = call;
    if (parameters.flag("start")) platform.permissions.check(identity.label, `/vms/${vmidOf(call)}`, ["VM.PowerMgmt"]);
    return answerWithTask(call, {
      type: type === "qemu" ? "qmrollback" : "vzrollback",
      expectedMs: 600,
      run: (task) =>
        platform.locks.hold({ type, vmid: vmidOf(call) }, async () => {
          const guest = guestOn(platform.state, type, vmidOf(call), nodeOf(call));
          if (isTemplate(guest)) throw failure("you can't rollback if vm is a template");
          const snapshot = named(call, guest);
          checkLock(guest);
          guest.runtime = null;
          guest.config.lock = "rollback";
          await task.sleep(500);
          guest.config = { ...snapshot.config, parent: parameters.text("snapname") };
          if (parameters.flag("start")) start(call, guest);
        }),
    });
  };
}
