// What tasks do by their types, and which exit statuses are successes.
import assert from "node:assert/strict";
import { isSuccess, workOf } from "../../../src/hypervisor/proxmox/taskWork.js";

describe("hypervisor/proxmox/taskWork", () => {
  for (const [work, ...types] of [
    ["start", "qmstart", "qmreboot", "qmresume", "vzstart", "vzreboot", "vzresume"],
    ["request_start", "hastart"],
    ["request_stop", "hastop"],
    ["create", "qmcreate", "qmrestore", "vzcreate", "vzrestore"],
    ["destroy", "qmdestroy", "vzdestroy"],
    ["send", "qmigrate", "vzmigrate"],
    ["receive", "qmtunnel", "vzmtunnel"],
    ["other", "qmstop", "vzshutdown", "qmclone", "vzdump", "imgcopy", ""],
  ] as const) {
    it(`is ${work} for ${types.map((type) => JSON.stringify(type)).join(", ")}`, () =>
      assert.deepEqual(new Set(types.map(workOf)), new Set([work])));
  }

  for (const status of ["OK", "WARNINGS: 2"])
    it(`succeeds with ${status}`, () => assert.equal(isSuccess(status), true));
  for (const status of [null, "", "ok", "WARNINGS: many", "interrupted by signal"]) {
    it(`does not succeed with ${JSON.stringify(status)}`, () => assert.equal(isSuccess(status), false));
  }
});
