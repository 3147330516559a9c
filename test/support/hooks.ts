// What every run of tests does before its first test and at its end, however it ends: the database server is stopped.
import { beginRun, endRun } from "./server.js";

export const mochaGlobalSetup = beginRun;
export const mochaGlobalTeardown = endRun;
