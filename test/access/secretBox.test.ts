// Stored secrets: sealed anew each time, opened only with their key and for their purpose.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { secretBox } from "../../src/access/secretBox.js";

const key = (): string => randomBytes(32).toString("base64");

describe("the secret box", () => {
  const box = secretBox(key());

  it("opens what it sealed", () => {
    for (const plain of ["", "correct horse", "pässwörd 🔑"]) assert.equal(box.open(box.seal(plain, "a"), "a"), plain);
  });

  it("seals one text differently each time", () => {
    assert.notEqual(box.seal("same", "a"), box.seal("same", "a"));
  });

  it("does not open with another key", () => {
    const sealed = box.seal("secret", "a");
    assert.throws(() => secretBox(key()).open(sealed, "a"), /DROVER_SECRET is not the one that sealed it/);
  });

  it("does not open for another purpose: a value cannot be moved to another column", () => {
    assert.throws(() => box.open(box.seal("secret", "host.secret"), "job.secrets"), /cannot be opened/);
  });

  it("does not open what was changed", () => {
    const [version, nonce, tag] = box.seal("secret", "a").split(".");
    const other = Buffer.from("tamper").toString("base64");
    assert.throws(() => box.open([version, nonce, tag, other].join("."), "a"), /cannot be opened/);
  });

  it("does not open what it never sealed", () => {
    for (const text of ["", "plain", "3.a.b.c", "1.a.b", box.seal("secret", "a").replace(/^1/, "3")])
      assert.throws(() => box.open(text, "a"), /unknown form/);
  });

  it("refuses a key of another length", () => {
    assert.throws(() => secretBox(randomBytes(16).toString("base64")), /32 bytes/);
  });

  it("does not open a value whose tag was shortened", () => {
    const [form, nonce, tag = "", body] = box.seal("secret", "a").split(".");
    const short = Buffer.from(tag, "base64").subarray(0, 4).toString("base64");
    assert.throws(() => box.open([form, nonce, short, body].join("."), "a"), /unknown form/);
  });

  describe("with a binding", () => {
    const place = ["pve.example", 8006, "root@pam", null] as const;

    it("opens for the same binding only", () => {
      const sealed = box.seal("secret", "a", place);
      assert.equal(box.open(sealed, "a", place), "secret");
      for (const other of [
        ["evil.example", 8006, "root@pam", null],
        ["pve.example", 8007, "root@pam", null],
        ["pve.example", 8006, "root@pam", "AA:BB"],
        ["pve.example", 8006, "root@pam"],
        [],
      ]) {
        assert.throws(() => box.open(sealed, "a", other), /its record was changed/);
      }
      assert.throws(() => box.open(sealed, "b", place), /its record was changed/);
    });

    it("distinguishes parts that read alike when they are joined", () => {
      assert.throws(() => box.open(box.seal("secret", "a", ["x", "yz"]), "a", ["xy", "z"]), /cannot be opened/);
      assert.throws(() => box.open(box.seal("secret", "a", [1]), "a", ["1"]), /cannot be opened/);
    });

    it("cannot be turned into an unbound value", () => {
      const bound = box.seal("secret", "a", place);
      assert.throws(() => box.open(bound.replace(/^2/, "1"), "a", place), /cannot be opened/);
    });

    it("opens values that an earlier release sealed without one", () => {
      assert.equal(box.open(box.seal("secret", "a"), "a", place), "secret");
    });
  });

  describe("with a previous key", () => {
    const [first, second] = [key(), key()];
    const before = secretBox(first);
    const both = secretBox(second, [first]);
    const after = secretBox(second);

    it("opens what either key sealed, and seals with the current one", () => {
      assert.equal(both.open(before.seal("secret", "a"), "a"), "secret");
      assert.equal(after.open(both.seal("secret", "a"), "a"), "secret");
    });

    it("renews a value of the previous key, once", () => {
      const renewed = both.renewed(before.seal("secret", "a", [1]), "a", [1]);
      assert.ok(renewed !== null);
      assert.equal(after.open(renewed, "a", [1]), "secret");
      assert.equal(both.renewed(renewed, "a", [1]), null);
    });

    it("renews a value without a binding where one is due", () => {
      const renewed = both.renewed(both.seal("secret", "a"), "a", [1]);
      assert.ok(renewed !== null);
      assert.throws(() => both.open(renewed, "a", [2]), /its record was changed/);
      assert.equal(both.open(renewed, "a", [1]), "secret");
    });

    it("does not renew what no key opens", () => {
      assert.throws(() => both.renewed(box.seal("secret", "a"), "a"), /cannot be opened/);
    });
  });
});
