// What is a public key is decided as OpenSSH decides it, and written in one form.
import assert from "node:assert/strict";
import { publicKeyLine, readPublicKey } from "../../src/access/publicKey.js";
import { JUDGED } from "./support/judgedKeys.js";

const BASE64 = "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

const field = (bytes: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** An RSA key whose modulus has so many bits; OpenSSH looks at no more of it. */
function rsaOf(bits: number): string {
  const modulus = Buffer.alloc(Math.ceil((bits + 1) / 8), 0xa5);
  const first = modulus.length * 8 - bits;
  modulus.fill(0, 0, Math.floor(first / 8));
  modulus[Math.floor(first / 8)] = 0x80 >> (first % 8);
  const fields = [Buffer.from("ssh-rsa"), Uint8Array.of(1, 0, 1), modulus].map(field);
  return `ssh-rsa ${Buffer.concat(fields).toString("base64")}`;
}

const problemOf = (line: string): string | undefined => {
  const read = readPublicKey(line, "ssh_keys[0]");
  return read.ok ? undefined : read.problems[0]?.message;
};

describe("access/publicKey", () => {
  for (const [what, line, fingerprint] of JUDGED) {
    it(`${fingerprint === null ? "refuses" : "takes"} ${what}`, () => {
      const read = readPublicKey(line, "ssh_keys[0]");
      assert.equal(read.ok ? read.value.fingerprint : null, fingerprint);
    });
  }

  it("takes RSA of 1,024 to 16,384 bits, as OpenSSH does", () => {
    const taken = [1_023, 1_024, 16_384, 16_385, 16_392].filter((bits) => readPublicKey(rsaOf(bits), "publicKey").ok);
    assert.deepEqual(taken, [1_024, 16_384]);
  });

  it("writes type, key and comment with one blank between them", () => {
    assert.equal(
      publicKeyLine(` \tssh-ed25519 \t ${BASE64} \t Jane's \t laptop \r\n`),
      `ssh-ed25519 ${BASE64} Jane's laptop`,
    );
    assert.equal(publicKeyLine(`ssh-ed25519 ${BASE64} `), `ssh-ed25519 ${BASE64}`);
  });

  it("writes the type of the key where that of a signature was given", () => {
    const [, line] = JUDGED.find(([what]) => what === "RSA by the name of a signature") ?? [];
    assert.match(publicKeyLine(line ?? ""), /^ssh-rsa AAAA/);
  });

  it("writes no colon that would make the line a mapping in cloud-init's YAML, and keeps it in the comment", () => {
    assert.equal(
      publicKeyLine(`ssh-ed25519 ${BASE64} host:a laptop: Jane:`),
      `ssh-ed25519 ${BASE64} host:a laptop Jane`,
    );
    assert.equal(publicKeyLine(`ssh-ed25519 ${BASE64} :`), `ssh-ed25519 ${BASE64}`);
    const read = readPublicKey(`ssh-ed25519 ${BASE64} laptop: Jane`, "publicKey");
    assert.equal(read.ok && read.value.comment, "laptop: Jane");
  });

  it("reports what else was given", () => {
    const [, rsa] = JUDGED.find(([what]) => what === "RSA of 3072 bits") ?? [];
    const certificate = (rsa ?? "").replace("ssh-rsa", "ssh-rsa-cert-v01@openssh.com");
    assert.equal(problemOf(certificate), "is a certificate: give the public key that it certifies");
    assert.match(problemOf("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE\n") ?? "", /^is a private key, /);
  });

  for (const [what, line] of [
    ["options of authorized_keys", `from="192.0.2.1" ssh-ed25519 ${BASE64}`],
    ["a host of known_hosts", `example.com ssh-ed25519 ${BASE64}`],
    ["two keys", `ssh-ed25519 ${BASE64}\nssh-ed25519 ${BASE64}`],
    ["a comment with a control character", `ssh-ed25519 ${BASE64} a\u0000b`],
    ["a comment with an escape", `ssh-ed25519 ${BASE64} \u001B[2J`],
  ] as const) {
    it(`refuses ${what}`, () => assert.equal(problemOf(line), "is no OpenSSH public key"));
  }
});
