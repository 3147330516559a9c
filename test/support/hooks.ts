// What every run of tests does before its first test and at its end, however it ends: the database server is stopped. And in each of
// its processes a rejection that nothing handles fails the test under way.
import { beginRun, endRun } from "./server.js";
import { failOnUnhandled } from "./unhandled.js";

export const mochaGlobalSetup = beginRun;
export const mochaGlobalTeardown = endRun;

export const mochaHooks = { beforeAll: failOnUnhandled };
