// Has one demo at a time run a part from a directory: its platform, or its service.
import { setTimeout as delay } from "node:timers/promises";
import { tryLock, type Lock } from "../src/db/embedded/lock.js";

export const PARTS = ["platform", "service"] as const;
export type Part = (typeof PARTS)[number];

/** A part that has just ended may still be held by the demo that started it. */
const LETTING_GO_MS = 3_000;
/** The platform of a demo that was killed ends a moment later; until then it has the ports. Nobody else holds them for long. */
const ENDING_MS = 120_000;
const LOOK_AGAIN_MS = 100;

/** @param directory as all demos name it @throws Error when another demo runs the part */
export const holdPart = (part: Part, directory: string): Promise<Lock> => hold(part, directory, LETTING_GO_MS);

/** Held by the platform's own process. @throws Error when another one does not end */
export const holdPorts = (directory: string): Promise<Lock> => hold("ports", directory, ENDING_MS);

async function hold(name: Part | "ports", directory: string, waitMs: number): Promise<Lock> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const lock = await tryLock(`demo-${name}`, directory);
    if (lock !== null) return lock;
    if (performance.now() > deadline) throw new Error(refusal(name, directory));
    await delay(LOOK_AGAIN_MS);
  }
}

const refusal = (name: Part | "ports", directory: string): string =>
  `another demo runs its ${name === "ports" ? "platform" : name} from ${directory}: end it, or name another directory in DROVER_DATA`;
