// Passwords: what is stored, and what it lets in.
import assert from "node:assert/strict";
import { commonPasswords } from "../../src/access/commonPasswords.js";
import { costsLess, generatePassword, hashPassword, verifyPassword } from "../../src/access/password.js";

describe("access/password", () => {
  it("stores argon2id in the PHC format, with a new salt each time", async () => {
    const [first, second] = await Promise.all([hashPassword("same"), hashPassword("same")]);
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(first, second);
  });

  for (const [given, accepted] of [
    ["correct horse", true],
    ["Correct horse", false],
    ["correct horse ", false],
    ["", false],
  ] as const) {
    it(`${accepted ? "accepts" : "refuses"} ${JSON.stringify(given)}`, async () => {
      assert.equal(await verifyPassword(given, await hashPassword("correct horse")), accepted);
    });
  }

  it("checks hashes that were made with other costs", async () => {
    // phc-winner-argon2's test vector: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 32
    const stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    assert.equal(await verifyPassword("password", stored), true);
    assert.equal(await verifyPassword("differentpassword", stored), false);
  });

  for (const [cost, isLess] of [
    ["m=19456,t=2,p=1", false],
    ["m=19455,t=2,p=1", true],
    ["m=19456,t=1,p=1", true],
    ["m=65536,t=2,p=1", false],
    ["m=19456,t=3,p=2", false],
  ] as const) {
    it(`finds that a hash of ${cost} ${isLess ? "cost less" : "did not cost less"} than new ones`, () => {
      const stored = `$argon2id$v=19$${cost}$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`;
      assert.equal(costsLess(stored), isLess);
    });
  }

  it("knows the most used passwords that are long enough to be chosen", async () => {
    const common = await commonPasswords();
    for (const password of ["1234567890", "qwertyuiop", "password123"]) assert.ok(common.has(password), password);
    assert.ok(!common.has("correct horse battery"));
    assert.deepEqual(
      [...common].filter((password) => password.length < 10 || password !== password.toLowerCase()),
      [],
    );
  });

  it("takes a letter with an accent however it was typed", async () => {
    assert.equal(await verifyPassword("cafe\u0301", await hashPassword("caf\u00e9")), true);
  });

  it("refuses everything for a user that does not exist", async () => {
    assert.equal(await verifyPassword("anything", null), false);
  });

  it("does not pass over a stored text that is no hash", async () => {
    await assert.rejects(verifyPassword("x", "plain"), /unknown form/);
  });

  it("generates long passwords that differ", () => {
    const made = new Set(Array.from({ length: 100 }, generatePassword));
    assert.equal(made.size, 100);
    for (const password of made) assert.match(password, /^[a-zA-Z2-9]{20}$/);
  });
});
