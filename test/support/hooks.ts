// What every run of tests does at its end, however it ends: the database server is stopped.
import { stopTestServer } from "./database.js";

export const mochaHooks = {
  afterAll: stopTestServer,
};
