// Asks a host which VMIDs a new guest can get: whether one is free, from which range they are given, whether rules bar one.
import { z } from "zod";
import type { VmidRange } from "../observed.js";
import { isPlatformError, PlatformReason } from "../platformError.js";
import type { ApiAnswer, Ask } from "./client.js";
import { readPermissionsOn } from "./cluster.js";
import { isUnexplained } from "./errors.js";
import { figureIn, wholeFigureIn } from "./figures.js";
import { isRecord, textIn, understand } from "./parse.js";
import { readResources } from "./resources.js";
import { unlessRefused } from "./refusedAnswer.js";

/** The platform looks at its own guests only, and another creation may take the VMID in the next moment. */
export async function isVmidFree(ask: Ask, vmid: number): Promise<boolean> {
  try {
    const { data } = await ask({ method: "GET", path: "/cluster/nextid", parameters: { vmid } });
    return figureIn(data, "vmid") === vmid || !(await hasGuest(ask, vmid));
  } catch (error) {
    // Some who stand between pass on the reason phrase alone; the only parameter is the VMID.
    if (isPlatformError(error, PlatformReason.EXISTS) || isUnexplained(error)) return false;
    throw error;
  }
}

/** Whoever stands between may leave the VMID out of the question, and tell the next free one: then the list of guests decides. */
const hasGuest = async (ask: Ask, vmid: number): Promise<boolean> =>
  (await readResources(ask)).guests.some((guest) => guest.vmid === vmid);

/** The platform's own, where nobody has set another. */
const USUAL: VmidRange = { lower: 100, upper: 1_000_000 };
/** No bound lies beyond these. */
const [LEAST, MOST] = [100, 1_000_000_000];

const optionsAnswer = z.object({ "next-id": z.unknown().optional() }).nullish();

/** The options are told to auditors of the whole host; a host before 7.2 has no such option. */
export async function readVmidRange(ask: Ask): Promise<VmidRange> {
  const answer = await unlessRefused<ApiAnswer | null>(ask({ method: "GET", path: "/cluster/options" }), () => null);
  if (answer === null) return USUAL;
  const range = understand(optionsAnswer, answer.data, answer.source)?.["next-id"];
  return { lower: boundIn(range, "lower"), upper: boundIn(range, "upper") };
}

/** Given as an object, or as the text of the file: `lower=5000,upper=6000`; either bound may be left out. */
function boundIn(range: unknown, name: keyof VmidRange): number {
  const given = isRecord(range) ? range[name] : new RegExp(`(?:^|,)${name}=(\\d+)`).exec(textIn(range) ?? "")?.[1];
  return Math.min(Math.max(wholeFigureIn(given, "vmidBound") ?? USUAL[name], LEAST), MOST);
}

const MAKING = "VM.Allocate";
const EVERY_GUEST = "/vms";

/** A host that does not report privileges bars nothing. */
export async function isVmidBarred(ask: Ask, vmid: number): Promise<boolean> {
  const path = `${EVERY_GUEST}/${vmid}`;
  const general = await readPermissionsOn(ask, EVERY_GUEST);
  if (general?.get(EVERY_GUEST)?.get(MAKING) !== true) return false;
  // A proxy that drops the query gets the paths with rules alone in the answer: then nothing is known of this one.
  return (await readPermissionsOn(ask, path))?.get(path)?.has(MAKING) === false;
}
