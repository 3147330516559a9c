// How stored secrets are read and replaced when keys are rotated, whichever table they are in.

/** A page of secrets. */
export interface SecretPage {
  /** Only ids above this one. */
  readonly after: number;
  readonly most: number;
}

export interface SealedSecret {
  readonly id: number;
  readonly sealed: string;
}

/** A secret that was sealed again. */
export interface RenewedSecret {
  readonly id: number;
  /** The sealed text that was read: a secret that was changed since is left alone. */
  readonly before: string;
  readonly after: string;
}
