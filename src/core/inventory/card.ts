// A guest's network cards, and the static addresses on them.

/** A network card. */
export interface Card {
  /** Its slot, such as `net0`. */
  readonly key: string;
  /** The number of the slot. */
  readonly index: number;
  readonly bridge: string | null;
  readonly vlan: number | null;
  /** Whether it carries several VLANs with their tags. */
  readonly hasTrunks: boolean;
  /** Largest frame that the card itself states, bytes; null: the bridge's. */
  readonly mtu: number | null;
  /** Whether the guest's own firewall filters it. */
  readonly isFiltered: boolean;
}

/** An address that the configuration sets; one from the network (DHCP, autoconfiguration) is none. */
export interface StaticAddress {
  /** The number of its card. */
  readonly index: number;
  /** Normalized: IPv6 in its short lower-case form. */
  readonly address: string;
  readonly prefixLength: number;
  readonly family: 4 | 6;
  readonly gateway: string | null;
}
