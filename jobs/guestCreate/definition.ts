// The steps of a creation: check again, make the guest, record it, configure and resize it, start it.
import { GuestType, JobKind, PowerAction } from "../../src/core/enums.js";
import { GIB } from "../../src/core/units.js";
import { growBootDisk } from "../guest/bootDisk.js";
import { INSTALL, installGuest } from "../guest/install.js";
import { startGuest } from "../guest/power.js";
import { onOwnGuest } from "../guest/stillOwn.js";
import { rollBackMade } from "../guest/rollBack.js";
import { define, type Step } from "../engine/step.js";
import { configure } from "./configure.js";
import { recheck } from "./recheck.js";
import { record, recordStart, takeRecordBack } from "./record.js";
import { guestOf, inputOf, installationOf, type CreateFacts } from "./context.js";
import { underFreeVmid } from "./vmid.js";

const create: Step<CreateFacts> = {
  name: "create",
  weight: 60,
  effect: INSTALL,
  async run(context) {
    await underFreeVmid(context, () => installGuest(context, installationOf(context)));
    return { made: true };
  },
  async undo(context) {
    const left = await rollBackMade(context, guestOf(context));
    // What may still be there, on a host that does not answer say, keeps its record and its address: a sync finds out.
    if (left === null) await takeRecordBack(context);
    return left;
  },
};

const resize: Step<CreateFacts> = {
  name: "resize",
  weight: 5,
  brief: true,
  async run(context) {
    const guest = guestOf(context);
    if (guest.type === GuestType.QEMU) await growBootDisk(context, guest, inputOf(context).diskGb * GIB);
    return {};
  },
};

const start: Step<CreateFacts> = {
  name: "start",
  weight: 10,
  effect: PowerAction.START,
  async run(context) {
    await startGuest(context, guestOf(context));
    await recordStart(context);
    return {};
  },
};

export const guestCreate = define<CreateFacts>({
  kind: JobKind.GUEST_CREATE,
  steps: [recheck, create, ...[record, configure, resize, start].map((step) => onOwnGuest(step, guestOf))],
});
