// Whether the disk of a new guest holds the system disk of its template.
import assert from "node:assert/strict";
import { referenceProblems } from "../../../src/actions/guest/createGuestReferences.js";
import { GIB } from "../../../src/core/units.js";
import { managingToken } from "../../support/context.js";

const TEMPLATE = {
  id: 1,
  hostId: 1,
  node: "pve1",
  vmid: 9000,
  minDiskBytes: 2 * GIB,
  furtherDiskBytes: 0,
  isSized: true,
  active: true,
  architecture: null,
  nodes: ["pve1"],
};
const NOTHING_ELSE = { host: null, owner: null, container: null, file: null, fileNodes: null, zone: null };

const planOf = (diskGb: number) => ({ id: 1, cores: 1, memoryMb: 512, diskGb, active: true });

function problems(disk: { readonly own?: number; readonly ofPlan?: number }): readonly string[] {
  const plan = disk.ofPlan === undefined ? null : planOf(disk.ofPlan);
  const request = { osTemplate: "tpl:1", planId: plan?.id ?? null, diskGb: disk.own ?? null };
  const facts = { ...NOTHING_ELSE, template: TEMPLATE, plan };
  return referenceProblems({ viewer: managingToken(), request, facts }).map(
    ({ field, message }) => `${field} ${message}`,
  );
}

const SMALLER = "smaller than the template's system disk of 2 GiB";

describe("actions/createGuestReferences", () => {
  it("refuses a disk that is smaller than the template's, down to the smallest", () => {
    assert.deepEqual(problems({ own: 1 }), [`disk_gb is ${SMALLER}`]);
    assert.deepEqual(problems({ ofPlan: 1 }), [`plan_id has a disk that is ${SMALLER}`]);
  });

  it("takes a disk of the template's size, and looks at the plan's where there is one", () => {
    assert.deepEqual(problems({ own: 2 }), []);
    assert.deepEqual(problems({ own: 1, ofPlan: 2 }), []);
  });

  it("leaves a size that is missing to the check of the request itself", () => {
    assert.deepEqual(problems({}), []);
    assert.deepEqual(problems({ own: 0 }), []);
  });
});
