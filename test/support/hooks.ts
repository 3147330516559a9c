// What every run of tests does before its first test and at its end, however it ends: the database server is stopped. And in each of
// its processes a rejection that nothing handles fails the test under way, since it would end a service.
import { beginRun, endRun } from "./server.js";

export const mochaGlobalSetup = beginRun;
export const mochaGlobalTeardown = endRun;

/** Mocha looks at its own rejections only, and a process that has its listener does not end by itself. */
function fail(reason: unknown): never {
  throw reason;
}

/** Added for each file, since Mocha removes it after each. */
export const mochaHooks = {
  beforeAll(): void {
    process.on("unhandledRejection", fail);
  },
};
