// Decides on which port the demo's service listens.
import { setTimeout as delay } from "node:timers/promises";
import { isFree } from "./ports.js";
import { ProgramEnded } from "./programs.js";

const USUAL_PORT = 4000;
const FREED_MS = 3_000;
const LOOK_MS = 100;

export interface PortChoice {
  /** 0: the service takes a free one. */
  readonly port: number;
  /** Somebody chose it: no other one will do. */
  readonly isNamed: boolean;
}

/** One that the service itself takes from those that are free. */
export const ANY_PORT: PortChoice = { port: 0, isNamed: false };

/** `PORT` as given, 0 for a free one; without it the usual port, or a free one when that is taken. @throws Error when a named one is */
export async function choosePort(): Promise<PortChoice> {
  const { PORT = "" } = process.env;
  if (PORT === "") return (await isFree(USUAL_PORT)) ? { port: USUAL_PORT, isNamed: false } : ANY_PORT;
  const named = { port: Number(PORT), isNamed: true };
  if (named.port !== 0) await freed(named.port);
  return named;
}

/** A service that was killed a moment ago may still hold it; what another one answers there must not be taken for ours. */
async function freed(port: number): Promise<void> {
  const giveUp = performance.now() + FREED_MS;
  while (!(await isFree(port))) {
    if (performance.now() > giveUp) throw portRefusal(port);
    await delay(LOOK_MS);
  }
}

export const portRefusal = (port: number): Error =>
  new Error(`port ${port} cannot be used: is it taken? PORT names another`);

/** Whether a service ended because its port was taken between the choice and its start. */
export const isPortTaken = (error: unknown): error is ProgramEnded =>
  error instanceof ProgramEnded &&
  error.lines.some((line) => /^drover: The address \S+, port \d+ is in use/.test(line));
