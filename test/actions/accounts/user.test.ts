// Tests how users and their SSH keys are made and deleted, and by whom.
import assert from "node:assert/strict";
import { verifyPassword } from "../../../src/access/password.js";
import type { Viewer } from "../../../src/access/viewer.js";
import { addSshKey, removeSshKey } from "../../../src/actions/accounts/sshKey.js";
import { createUser, deleteUser, type UserInput } from "../../../src/actions/accounts/user.js";
import type { UserRole } from "../../../src/core/enums.js";
import { DroverError } from "../../../src/errors/errors.js";
import { losingPool } from "../../jobs/killing.js";
import { contextOf, managingToken, tokenViewer, userViewer } from "../../support/context.js";
import { refusedAs, refusedFields } from "../../support/refusal.js";
import { plant, planted } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const FINGERPRINT = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU";

describe("actions/user", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
  });
  afterEach(() => services.close());

  const as = (viewer: Viewer) => contextOf(services, viewer);
  const admin = userViewer("admin", 1);

  async function store(
    username: string,
    role: UserRole = "customer",
    createdBy: number | null = null,
  ): Promise<number> {
    return (await planted(services.pool, "user_account", { username, role, created_by: createdBy })).id;
  }

  it("makes a customer with a generated password", async () => {
    const { id, password } = await createUser(as(tokenViewer()), {
      email: " ann@example.com ",
      username: "ann",
      userId: "4711",
    });
    const { rows } = await services.pool.query("select * from user_account where id = $1", [id]);
    assert.equal(rows[0].email, "ann@example.com");
    assert.equal(rows[0].external_id, "4711");
    assert.equal(rows[0].role, "customer");
    assert.equal(await verifyPassword(password, rows[0].password_hash), true);
  });

  const ann: UserInput = { email: "ann@example.com", username: "ann" };
  const refusals: readonly (readonly [title: string, input: UserInput, fields: readonly string[]])[] = [
    ["an e-mail without @", { ...ann, email: "ann" }, ["email"]],
    ["an e-mail of 255 characters", { ...ann, email: `${"x".repeat(250)}@e.at` }, ["email"]],
    ["a blank username", { ...ann, username: " " }, ["username"]],
    ["a username of 65 characters", { ...ann, username: "x".repeat(65) }, ["username"]],
    ["a username with a space", { ...ann, username: "a b" }, ["username"]],
    ["an external id of 256 characters", { ...ann, userId: "x".repeat(256) }, ["user_id"]],
    ["an external id with a line break", { ...ann, userId: "a\nb" }, ["user_id"]],
    ["everything at once", { email: "", username: "", userId: "\u0007" }, ["email", "username", "user_id"]],
  ];
  for (const [title, input, fields] of refusals) {
    it(`refuses ${title}`, () => refusedFields(fields, createUser(as(admin), input)));
  }

  it("names every duplicate, whatever its case", async () => {
    await createUser(as(admin), ann);
    await refusedFields(["email"], createUser(as(admin), { email: "ANN@example.com", username: "bob" }));
    await refusedFields(["username"], createUser(as(admin), { email: "bob@example.com", username: "Ann" }));
    await refusedFields(["email", "username"], createUser(as(admin), ann));
  });

  it("makes one of two users of the same name that are asked for at once", async () => {
    const outcomes = await Promise.allSettled([createUser(as(admin), ann), createUser(as(admin), ann)]);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  });

  const by = (viewer: Viewer, role: UserRole) => createUser(as(viewer), { email: `${role}@x`, username: role, role });

  it("lets no caller make a role above their own reach", async () => {
    await refusedAs("forbidden", by(managingToken(), "reseller"));
    await refusedAs("forbidden", by(userViewer("operator", 1), "operator"));
    await refusedAs("forbidden", by(userViewer("reseller", 1), "reseller"));
    await refusedAs("forbidden", by(userViewer("customer", 1), "customer"));
    const owner = await store("admin", "admin");
    await by(userViewer("admin", owner), "operator");
  });

  it("deletes a customer and keeps the guests, without an owner", async () => {
    const id = await store("ann");
    await plant(services.pool, { host: [{}], node: [{}], guest: [{ owner_id: id }] });
    await deleteUser(as(tokenViewer()), id);
    const { rows } = await services.pool.query("select owner_id from guest");
    assert.deepEqual(rows, [{ owner_id: null }]);
    await refusedAs("notFound", deleteUser(as(tokenViewer()), id));
  });

  it("deletes a user once when several do so together", async () => {
    const id = await store("ann");
    const done = await Promise.allSettled([1, 2, 3].map(() => deleteUser(as(tokenViewer()), id)));
    const refused = done.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    assert.deepEqual(
      refused.map((reason) => reason instanceof DroverError && reason.kind),
      ["notFound", "notFound"],
    );
  });

  it("does not let tokens see operators, resellers others' customers, or users delete themselves", async () => {
    const owner = await store("admin", "admin");
    const reseller = await store("reseller", "reseller");
    const theirs = await store("theirs", "customer", reseller);
    const others = await store("others", "customer", owner);
    await refusedAs("notFound", deleteUser(as(managingToken()), owner));
    await refusedAs("notFound", deleteUser(as(userViewer("reseller", reseller)), others));
    await refusedAs("forbidden", deleteUser(as(userViewer("operator", 99)), owner));
    const refusal = await refusedAs("conflict", deleteUser(as(userViewer("admin", owner)), owner));
    assert.equal(refusal.reason, "OWN_ACCOUNT");
    await deleteUser(as(userViewer("reseller", reseller)), theirs);
  });

  it("stores an SSH key once a user, named by its comment when no name is given", async () => {
    const id = await store("ann");
    const key = await addSshKey(as(admin), { userId: id, name: "", publicKey: `${KEY} ann@laptop\n` });
    assert.equal(key.name, "ann@laptop");
    assert.equal(key.fingerprint, FINGERPRINT);
    await refusedFields(["publicKey"], addSshKey(as(admin), { userId: id, name: "again", publicKey: KEY }));
    await refusedFields(
      ["publicKey"],
      addSshKey(as(admin), { userId: id, name: "bad", publicKey: "ssh-ed25519 AAAA" }),
    );
    await refusedAs("notFound", addSshKey(as(admin), { userId: 99, name: "x", publicKey: KEY }));
    await removeSshKey(as(admin), key.id);
    await refusedAs("notFound", removeSshKey(as(admin), key.id));
  });

  const names: readonly (readonly [given: string, comment: string, name: string])[] = [
    [" desk ", " ann@laptop", "desk"],
    [" \t", " ann@laptop", "ann@laptop"],
    [" ", "", FINGERPRINT],
  ];
  for (const [given, comment, name] of names) {
    it(`names an SSH key ${name} that is given the name ${JSON.stringify(given)} and the comment "${comment}"`, async () => {
      const key = { userId: await store("ann"), name: given, publicKey: `${KEY}${comment}` };
      assert.equal((await addSshKey(as(admin), key)).name, name);
    });
  }

  it("reports a fault of the database as one, and not as a key that is not there", async () => {
    const { id } = await addSshKey(as(admin), { userId: await store("ann"), name: "k", publicKey: KEY });
    const fault = new Error("the connection is lost");
    const { pool, lost } = losingPool(services.pool, { write: 2, moment: "before" }, fault);
    await assert.rejects(removeSshKey({ ...as(admin), pool }, id), fault);
    assert.ok(lost());
    await removeSshKey(as(admin), id);
  });

  it("lets customers look after their own keys only", async () => {
    const [mine, others] = [await store("mine"), await store("others")];
    const me = userViewer("customer", mine);
    await addSshKey(as(me), { userId: mine, name: "k", publicKey: KEY });
    await refusedAs("forbidden", addSshKey(as(me), { userId: others, name: "k", publicKey: KEY }));
    const { id } = await addSshKey(as(admin), { userId: others, name: "k", publicKey: KEY });
    await refusedAs("notFound", removeSshKey(as(me), id));
  });
});
