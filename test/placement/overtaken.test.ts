// A choice of a VMID that another change overtakes is made again, a few times; nothing else is.
import assert from "node:assert/strict";
import { unlessOvertaken } from "../../src/placement/overtaken.js";
import { refusedAs } from "../support/refusal.js";

/** As the driver reports a broken unique constraint. */
const broken = (constraint: string): Error => Object.assign(new Error(constraint), { code: "23505", constraint });
const TAKEN = ["resource_lock_pkey", "vmid_reservation_pkey"];

/** A reservation that fails with these errors, and then succeeds. */
function reservation(errors: readonly Error[]) {
  const left = [...errors];
  let looks = 0;
  const reserve = async (): Promise<string> => {
    looks++;
    const error = left.shift();
    if (error !== undefined) throw error;
    return "reserved";
  };
  return { reserve, looks: () => looks };
}

describe("placement/overtaken", () => {
  for (const constraint of TAKEN) {
    it(`looks again when ${constraint} shows that the VMID was taken, up to five times`, async () => {
      const { reserve, looks } = reservation(Array.from({ length: 4 }, () => broken(constraint)));
      assert.equal(await unlessOvertaken(reserve), "reserved");
      assert.equal(looks(), 5);
    });
  }

  it("gives up after five looks, as a conflict that a caller can try again", async () => {
    const { reserve, looks } = reservation(Array.from({ length: 6 }, () => broken("vmid_reservation_pkey")));
    const refusal = await refusedAs("conflict", unlessOvertaken(reserve));
    assert.equal(refusal.reason, "VMID_TAKEN");
    assert.equal(looks(), 5);
  });

  it("passes any other error on at once, also that of the last look", async () => {
    const other = broken("ip_address_zone_id_address_key");
    for (const before of [0, 4]) {
      const { reserve, looks } = reservation([
        ...Array.from({ length: before }, () => broken("vmid_reservation_pkey")),
        other,
      ]);
      await assert.rejects(unlessOvertaken(reserve), other);
      assert.equal(looks(), before + 1);
    }
  });
});
