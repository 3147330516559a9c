// Answers whether a guest can be snapshot, cloned without copying, or copied.
import type { ApiAnswer } from "../api.js";
import { guestOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import { findVolume, supportsLinkedClone } from "../storage/volumes.js";
import type { SnapshotHabits } from "./habits.js";
import { snapshotOf } from "./list.js";
import { canSnapshot } from "./volumes.js";

/** `GET …/feature`; it never says why not. */
export function readFeature(habits: SnapshotHabits): (call: Call) => ApiAnswer {
  return (call) => {
    const guest = guestOf(call, habits.type);
    const hasFeature = has(call, guest, habits) ? 1 : 0;
    return answer(habits.type === "qemu" ? { hasFeature, nodes: [guest.node] } : { hasFeature });
  };
}

function has(call: Call, guest: Guest, habits: SnapshotHabits): boolean {
  const { platform, parameters } = call;
  const name = parameters.optional("snapname");
  const config = name === undefined ? guest.config : snapshotOf(guest, name).config;
  const volumes = habits.volumes(platform, config);
  const feature = parameters.text("feature");
  if (feature === "copy") return true;
  if (feature === "snapshot")
    return !isTemplate(guest) && volumes.every(({ volid }) => canSnapshot(platform, volid, guest.node));
  return volumes.every(({ volid }) => {
    const volume = findVolume(platform, volid, guest.node);
    return volume !== null && supportsLinkedClone(platform, volume);
  });
}
