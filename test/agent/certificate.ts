// Makes a certificate for 127.0.0.1 that no authority signed.
import { createHash, X509Certificate } from "node:crypto";
import { generate } from "selfsigned";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** SHA-256, 64 hexadecimal digits in lower case. */
  readonly fingerprint: string;
}

export async function makeCertificate(): Promise<Certificate> {
  const made = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  const { raw } = new X509Certificate(made.cert);
  return { key: made.private, cert: made.cert, fingerprint: createHash("sha256").update(raw).digest("hex") };
}
