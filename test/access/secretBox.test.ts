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
    for (const text of ["", "plain", "2.a.b.c", "1.a.b"]) assert.throws(() => box.open(text, "a"), /unknown form/);
  });

  it("refuses a key of another length", () => {
    assert.throws(() => secretBox(randomBytes(16).toString("base64")), /32 bytes/);
  });
});
