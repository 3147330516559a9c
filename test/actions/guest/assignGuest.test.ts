// Who may give which guest to whom.
import assert from "node:assert/strict";
import { assignGuest } from "../../../src/actions/guest/assignGuest.js";
import { UserRole } from "../../../src/core/enums.js";
import type { ErrorKind } from "../../../src/errors/errors.js";
import { contextOf, tokenViewer, userViewer } from "../../support/context.js";
import { meet } from "../../support/meet.js";
import { refusedAs } from "../../support/refusal.js";
import { plant, planted } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const RESELLER = 2;
const THEIR_CUSTOMER = 3;
const OTHER_CUSTOMER = 4;

const guest = (vmid: number) => ({ hostId: 1, type: "qemu", vmid }) as const;

describe("actions/assignGuest", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await plant(services.pool, {
      user_account: [
        { username: "admin", role: "admin" },
        { username: "reseller", role: "reseller" },
        { username: "theirs", created_by: RESELLER },
        { username: "other" },
      ],
      host: [{}],
      node: [{}],
      guest: [
        { vmid: 100 },
        { vmid: 101, owner_id: THEIR_CUSTOMER },
        { vmid: 102, safety_copy: true },
        { vmid: 103, template: true },
        { vmid: 104 },
      ],
      job: [{ kind: "guest_delete" }],
      resource_lock: [{ key: "guest:1:104" }],
    });
  });
  after(() => services.close());

  const ownerOf = async (vmid: number): Promise<unknown> =>
    (await services.pool.query<{ owner_id: number | null }>(`select owner_id from guest where vmid = $1`, [vmid]))
      .rows[0]?.owner_id;

  it("gives a guest to a user, from whomever it had", async () => {
    const context = contextOf(services, tokenViewer());
    assert.equal(await assignGuest(context, OTHER_CUSTOMER, guest(100)), 1);
    assert.equal(await ownerOf(100), OTHER_CUSTOMER);
    await assignGuest(context, THEIR_CUSTOMER, guest(100));
    assert.equal(await ownerOf(100), THEIR_CUSTOMER);
  });

  const refusals: readonly [what: string, userId: number, vmid: number, kind: ErrorKind, reason?: string][] = [
    ["an unknown user", 99, 100, "notFound"],
    ["an unknown guest", OTHER_CUSTOMER, 999, "notFound"],
    ["a safety copy", OTHER_CUSTOMER, 102, "conflict", "SAFETY_COPY"],
    ["a template", OTHER_CUSTOMER, 103, "conflict", "IS_TEMPLATE"],
    ["a busy guest", OTHER_CUSTOMER, 104, "conflict", "GUEST_BUSY"],
  ];
  for (const [what, userId, vmid, kind, reason] of refusals) {
    it(`refuses ${what}`, async () => {
      const error = await refusedAs(kind, assignGuest(contextOf(services, tokenViewer()), userId, guest(vmid)));
      assert.equal(error.reason, reason);
    });
  }

  it("gives nothing to a user who is deleted meanwhile, and takes nothing from whom has it", async () => {
    const { pool } = services;
    const { id: leaving } = await planted(pool, "user_account", { username: "leaving" });
    await assignGuest(contextOf(services, tokenViewer()), THEIR_CUSTOMER, guest(100));
    const [outcome] = await meet(pool, (holder) => holder.query(`delete from user_account where id = $1`, [leaving]), [
      () => assignGuest(contextOf(services, tokenViewer()), leaving, guest(100)),
    ]);
    assert.ok(outcome?.status === "rejected");
    await refusedAs("notFound", Promise.reject(outcome.reason));
    assert.equal(await ownerOf(100), THEIR_CUSTOMER);
  });

  it("lets resellers pass guests among their own customers only", async () => {
    const reseller = contextOf(services, userViewer(UserRole.RESELLER, RESELLER));
    await assignGuest(reseller, THEIR_CUSTOMER, guest(101));
    await refusedAs("notFound", assignGuest(reseller, OTHER_CUSTOMER, guest(101)));
    await refusedAs("notFound", assignGuest(reseller, THEIR_CUSTOMER, guest(104)));
    await refusedAs("notFound", assignGuest(reseller, RESELLER, guest(101)));
  });

  it("is not for customers, and not for hosts out of a token's scope", async () => {
    const customer = contextOf(services, userViewer(UserRole.CUSTOMER, THEIR_CUSTOMER));
    await refusedAs("forbidden", assignGuest(customer, THEIR_CUSTOMER, guest(101)));
    await refusedAs("forbidden", assignGuest(contextOf(services, tokenViewer([2])), THEIR_CUSTOMER, guest(101)));
  });
});
