// Measures how late the event loop is, by whose work, and for how many requests, so that some are refused while the process is overloaded.
import type { Pressure } from "../../src/access/admission/load.js";
import type { RequestsPresent } from "../../src/access/admission/requestsPresent.js";
import type { Logger } from "../../src/observability/log.js";
import { OverloadRule, type Sample } from "./overloadRule.js";

const SAMPLE_EVERY_MS = 100;

/** A pressure that is measured until it is closed. */
interface MeasuredPressure extends Pressure {
  close(): void;
}

interface MeasuredParts {
  /** Delay, in milliseconds, above which a sample is late. */
  readonly limitMs: number;
  readonly present: RequestsPresent;
  readonly log: Logger;
}

/**
 * Samples by how much a timer of this process is late: every other callback is late by as much. `perf_hooks` has a histogram of
 * the same delay, but the rule needs consecutive samples, and an average would hide a single turn that takes seconds. Its utilization of
 * the event loop takes a process that waits for a processor for a busy one: the CPU time does not.
 */
export function watchEventLoopDelay({ limitMs, present, log }: MeasuredParts): MeasuredPressure {
  const rule = new OverloadRule(limitMs);
  const cpu = new CpuShare();
  let due = performance.now() + SAMPLE_EVERY_MS;
  const sample = (): void => {
    const delayMs = performance.now() - due;
    const taken: Sample = { delayMs, cpuShare: cpu.sinceLast(), requests: present.sinceLast() };
    if (rule.add(taken)) report(taken);
    due = performance.now() + SAMPLE_EVERY_MS;
    timer.refresh();
  };
  const report = ({ delayMs, cpuShare, requests }: Sample): void => {
    const figures = { lateMs: Math.round(delayMs), limitMs, cpuShare: Number(cpuShare.toFixed(2)), requests };
    if (rule.isTooHigh) log.warn(figures, "the process is late with its work: new requests are refused");
    else log.info(figures, "the process has caught up: requests are taken again");
  };
  const timer = setTimeout(sample, SAMPLE_EVERY_MS).unref();
  return {
    get isTooHigh() {
      return rule.isTooHigh;
    },
    close: () => clearTimeout(timer),
  };
}

/** The part of one processor that the process, with all of its threads, has had. */
class CpuShare {
  #usage = process.cpuUsage();
  #at = performance.now();

  sinceLast(): number {
    const usage = process.cpuUsage();
    const now = performance.now();
    const usedMs = (usage.user + usage.system - this.#usage.user - this.#usage.system) / 1000;
    const share = usedMs / (now - this.#at);
    this.#usage = usage;
    this.#at = now;
    return share;
  }
}
