// Who may give which guest to whom.
import assert from "node:assert/strict";
import { assignGuest } from "../../../src/actions/guest/assignGuest.js";
import { UserRole } from "../../../src/core/enums.js";
import type { ErrorKind } from "../../../src/errors/errors.js";
import { contextOf, tokenViewer, userViewer } from "../../support/context.js";
import { meet } from "../../support/meet.js";
import { refusedAs } from "../../support/refusal.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const RESELLER = 2;
const THEIR_CUSTOMER = 3;
const OTHER_CUSTOMER = 4;

const guest = (vmid: number) => ({ hostId: 1, type: "qemu", vmid }) as const;

describe("actions/assignGuest", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await services.pool.query(`
      insert into user_account (email, username, role, password_hash) values ('a@b.c', 'admin', 'admin', 'x'), ('r@b.c', 'reseller', 'reseller', 'x');
      insert into user_account (email, username, role, password_hash, created_by) values ('c@b.c', 'theirs', 'customer', 'x', ${RESELLER}), ('o@b.c', 'other', 'customer', 'x', null);
      insert into host (name, hostname, user_name, secret_encrypted) values ('alpha', 'alpha.example', 'root@pam', 'sealed');
      insert into node (host_id, name) values (1, 'pve1');
      insert into guest (host_id, node_id, type, vmid, owner_id, safety_copy, template)
        values (1, 1, 'qemu', 100, null, false, false), (1, 1, 'qemu', 101, ${THEIR_CUSTOMER}, false, false),
          (1, 1, 'qemu', 102, null, true, false), (1, 1, 'qemu', 103, null, false, true), (1, 1, 'qemu', 104, null, false, false);
      insert into job (kind, host_id, vmid) values ('guest_delete', 1, 104);
      insert into resource_lock (key, job_id) values ('guest:1:104', 1);`);
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
    const { rows } = await pool.query<{ id: number }>(
      `insert into user_account (email, username, password_hash) values ('l@b.c', 'leaving', 'x') returning id`,
    );
    const leaving = rows[0]?.id ?? 0;
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
