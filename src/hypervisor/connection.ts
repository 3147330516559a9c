// How a host is reached, and with which credential.

/** How a host is reached. Secrets are plain here and live in memory only. */
export interface HostConnection {
  readonly hostId: number;
  /** What people call it: errors name it so, and never where it is. */
  readonly name: string;
  readonly hostname: string;
  readonly port: number;
  /** Login user with its realm, such as `root@pam`. */
  readonly user: string;
  readonly credential:
    | { readonly kind: "token"; readonly tokenId: string; readonly secret: string }
    | { readonly kind: "password"; readonly password: string };
  /** SHA-256 of the leaf certificate, `AA:BB:…`; undefined: a trusted authority must have signed it. */
  readonly tlsFingerprint: string | undefined;
}
