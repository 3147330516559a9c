// Makes a simulated host's own certificate authority and one server certificate a node, as `pvecm updatecerts` does.
import { generateKeyPair, randomUUID, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import { generate } from "selfsigned";

const makeKeyPair = promisify(generateKeyPair);
const dayMs = 86_400_000;
const authorityDays = 3650;
const leafDays = 730;

/** A certificate with its private key, all PEM. */
export interface KeyedCertificate {
  certificate: string;
  privateKey: string;
  /** SHA-256 of the DER form: 32 upper-case hex pairs joined with colons. */
  fingerprint: string;
}

/** What a host needs to speak TLS: its authority and a certificate for each of its nodes. */
export interface HostCertificates {
  authority: KeyedCertificate;
  /** By node name. */
  nodes: ReadonlyMap<string, KeyedCertificate>;
}

/**
 * Makes fresh certificates for the nodes of one host.
 * @param nodes node name → addresses that its certificate is valid for, besides the loopback ones
 */
export async function makeHostCertificates(nodes: ReadonlyMap<string, readonly string[]>): Promise<HostCertificates> {
  const authority = await makeAuthority();
  const made = [...nodes].map(async ([node, addresses]) => [node, await makeLeaf(node, addresses, authority)] as const);
  return { authority, nodes: new Map(await Promise.all(made)) };
}

async function makeAuthority(): Promise<KeyedCertificate> {
  return sign(4096, {
    subject: [
      { name: "commonName", value: "Proxmox Virtual Environment" },
      { shortName: "OU", value: randomUUID() },
      { shortName: "O", value: "PVE Cluster Manager CA" },
    ],
    days: authorityDays,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
}

async function makeLeaf(
  node: string,
  addresses: readonly string[],
  authority: KeyedCertificate,
): Promise<KeyedCertificate> {
  const domain = `${node}.example.test`;
  return sign(2048, {
    subject: [
      { shortName: "OU", value: "PVE Cluster Node" },
      { shortName: "O", value: "Proxmox Virtual Environment" },
      { name: "commonName", value: domain },
    ],
    days: leafDays,
    authority,
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, keyEncipherment: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          ...[...new Set(["127.0.0.1", "::1", ...addresses])].map((ip) => ({ type: 7 as const, ip })),
          ...["localhost", node, domain].map((value) => ({ type: 2 as const, value })),
        ],
      },
    ],
  });
}

type GenerateOptions = NonNullable<Parameters<typeof generate>[1]>;

interface Request {
  subject: Parameters<typeof generate>[0];
  days: number;
  extensions: GenerateOptions["extensions"];
  authority?: KeyedCertificate;
}

async function sign(modulusLength: number, request: Request): Promise<KeyedCertificate> {
  const keyPair = await makeKeyPair("rsa", {
    modulusLength,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const issuer = request.authority;
  const signed = await generate(request.subject, {
    algorithm: "sha256",
    keyPair,
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + request.days * dayMs),
    extensions: request.extensions,
    ...(issuer === undefined ? {} : { ca: { key: issuer.privateKey, cert: issuer.certificate } }),
  });
  return {
    certificate: signed.cert,
    privateKey: keyPair.privateKey,
    fingerprint: new X509Certificate(signed.cert).fingerprint256,
  };
}
