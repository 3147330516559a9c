// What is refused of guests whose host is switched off: nothing can be done on it, so that no job is queued to fail.
import assert from "node:assert/strict";
import { deleteGuest } from "../../../src/actions/guest/deleteGuest.js";
import { reinstallGuest } from "../../../src/actions/guest/reinstallGuest.js";
import { deleteSafetyCopies, pruneSafetyCopies } from "../../../src/actions/guest/safetyCopy.js";
import type { Context } from "../../../src/context/context.js";
import { UserRole } from "../../../src/core/enums.js";
import { contextOf, userViewer } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { fromNow, plant } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const guest = (vmid: number) => ({ hostId: 1, type: "qemu", vmid }) as const;

describe("actions/guest on a host that is switched off", () => {
  let services: TestServices;
  let context: Context;
  before(async () => {
    services = await createTestServices();
    await plant(services.pool, {
      host: [{ name: "alpha", active: false }],
      node: [{}],
      guest: [{ vmid: 100 }, { vmid: 101, safety_copy: true, safety_copy_delete_at: fromNow(-1) }],
      os_template: [{}],
    });
    context = contextOf(services, userViewer(UserRole.ADMIN, 1));
  });
  after(() => services.close());

  const jobs = async (): Promise<unknown[]> => (await services.pool.query(`select kind, vmid from job`)).rows;

  const orders: readonly [what: string, order: () => Promise<unknown>][] = [
    ["a deletion", () => deleteGuest(context, guest(100))],
    ["a reinstallation", () => reinstallGuest(context, guest(100), { osTemplate: "tpl:1", password: "correct horse" })],
    ["the deletion of a safety copy", () => deleteGuest(context, guest(101))],
    ["the deletion of safety copies", () => deleteSafetyCopies(context, [2])],
  ];
  for (const [what, order] of orders) {
    it(`refuses ${what}`, async () => {
      const { reason, message } = await refusedAs("conflict", order());
      assert.deepEqual([reason, message], ["HOST_INACTIVE", "host alpha is switched off"]);
      assert.deepEqual(await jobs(), []);
    });
  }

  it("keeps safety copies whose time has come until it is switched on", async () => {
    assert.equal(await pruneSafetyCopies(services), 0);
    await services.pool.query(`update host set active = true`);
    assert.equal(await pruneSafetyCopies(services), 1);
    assert.deepEqual(await jobs(), [{ kind: "safety_copy_delete", vmid: 101 }]);
  });
});
