// Decides from consecutive samples of the process whether it is overloaded.
import type { Pressure } from "../../src/access/admission/load.js";

/** Late samples in a row that mean overload. A single one may be a long garbage collection. */
const LATE_SAMPLES = 2;
/** Calm samples in a row, a second of them, that end the overload. */
const CALM_SAMPLES = 10;
/** A sample is calm up to this share of the limit: with the limit itself, requests would be admitted and refused by turns. */
const CALM_SHARE = 0.5;
/** With fewer requests, refusing them does not help: whatever makes the process late, it is not their number. */
const MANY_REQUESTS = 32;
/** A process that is late but had less of a processor is kept from its work by its neighbours: it serves slowly instead. */
const OWN_CPU = 0.25;

/** What the process did since the sample before. */
export interface Sample {
  /** How late the sample was taken, milliseconds. */
  readonly delayMs: number;
  /** CPU time of the process by the time that went by: 1 is one processor. */
  readonly cpuShare: number;
  /** Requests that were in progress or came. */
  readonly requests: number;
}

/** The process is overloaded when it is late by its own work, and many requests wait for it. */
export class OverloadRule implements Pressure {
  readonly #limitMs: number;
  #isTooHigh = false;
  /** Samples in a row that speak for the other state. */
  #contrary = 0;

  /** @param limitMs delay above which a sample is late */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get isTooHigh(): boolean {
    return this.#isTooHigh;
  }

  /** Takes one sample. @returns whether it changed the state */
  add(sample: Sample): boolean {
    const isContrary = this.#isTooHigh ? this.#isCalm(sample) : this.#isOverworked(sample);
    this.#contrary = isContrary ? this.#contrary + 1 : 0;
    if (this.#contrary < (this.#isTooHigh ? CALM_SAMPLES : LATE_SAMPLES)) return false;
    this.#contrary = 0;
    this.#isTooHigh = !this.#isTooHigh;
    return true;
  }

  #isOverworked(sample: Sample): boolean {
    return sample.delayMs > this.#limitMs && mayBeRelieved(sample);
  }

  #isCalm(sample: Sample): boolean {
    return sample.delayMs <= this.#limitMs * CALM_SHARE || !mayBeRelieved(sample);
  }
}

/** Whether refusing requests would make the process less late. */
const mayBeRelieved = ({ cpuShare, requests }: Sample): boolean => cpuShare >= OWN_CPU && requests >= MANY_REQUESTS;
