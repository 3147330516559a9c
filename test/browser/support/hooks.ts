// What a suite of the browser's tests begins and ends with, and what is done before and after each test.
import type { Context } from "mocha";
import { failOnUnhandled } from "../../support/unhandled.js";
import { panel } from "./panel.js";

/** For starts and ends of the demo on a machine that is busy with other things. */
const DEMO_MS = 900_000;
/** Earlier than the hook's own limit, which would not say where the start was. */
const START_MS = 840_000;

export const mochaHooks = {
  async beforeAll(this: Context): Promise<void> {
    failOnUnhandled();
    this.timeout(DEMO_MS);
    await panel.start(AbortSignal.timeout(START_MS));
  },
  async beforeEach(this: Context): Promise<void> {
    this.timeout(DEMO_MS);
    await panel.serviceRuns();
  },
  async afterEach(this: Context): Promise<void> {
    this.timeout(DEMO_MS);
    if (this.currentTest?.state === "failed") await panel.writeEvidence(this.currentTest.fullTitle());
    await panel.closePages();
  },
  async afterAll(this: Context): Promise<void> {
    this.timeout(DEMO_MS);
    await panel.stop();
  },
};
