// A platform for tests that does nothing but remember what it was asked to do.
import { EventEmitter, once } from "node:events";
import type { Observation, Platform } from "../../agent/platform/platform.js";
import type { Log } from "../../agent/log.js";

export interface FakePlatform extends Platform {
  readonly done: string[];
}

export const OBSERVATION: Observation = {
  hypervisorVersion: "8.4.5",
  problems: [],
  natConfigured: true,
  publicAddress: "203.0.113.4",
  cpuUsage: 0.31,
  memoryMb: 65536,
  memoryUsedMb: 20480,
};

export function createFakePlatform(overrides: Partial<Platform> = {}): FakePlatform {
  const done: string[] = [];
  return {
    done,
    observe: async () => OBSERVATION,
    unlockGuest: async ({ type, vmid }) => void done.push(`unlock ${type} ${vmid}`),
    applyForwards: async (set) => void done.push(`forwards ${set.map(({ publicPort }) => publicPort).join(",")}`),
    close: () => undefined,
    ...overrides,
  };
}

export interface KeptLog extends Log {
  readonly lines: string[];
  /** Resolves with the first line that matches, also one that was written before. */
  line(pattern: RegExp): Promise<string>;
}

export function createKeptLog(): KeptLog {
  const lines: string[] = [];
  const written = new EventEmitter();
  const keep = (message: string): void => {
    lines.push(message);
    written.emit("line");
  };
  const line = async (pattern: RegExp): Promise<string> => {
    const found = lines.find((candidate) => pattern.test(candidate));
    if (found !== undefined) return found;
    await once(written, "line");
    return await line(pattern);
  };
  return { lines, line, info: keep, warn: keep, error: keep };
}
