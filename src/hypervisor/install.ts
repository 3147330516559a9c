// What is asked for to install a guest, and to give one its address.
import type { GuestAddress } from "./guest.js";
import type { ContainerRights, PlatformSettings } from "./guestConfig.js";

/** What a guest is made from: a machine from a template, a container from the file of one. */
export type InstallImage =
  | { readonly kind: "template"; readonly node: string; readonly vmid: number }
  | { readonly kind: "file"; readonly volid: string };

/** How a guest's owner gets in. */
export interface OwnerAccess {
  readonly password: string | null;
  readonly sshKeys: readonly string[];
}

/** The network of a guest's first card. */
export interface GuestNetwork {
  /** Null: the template's own bridge, or the platform's usual one. */
  readonly bridge: string | null;
  readonly vlan: number | null;
  /** Null: the network gives it one. */
  readonly address: {
    /** With the length of its prefix. */
    readonly cidr: string;
    readonly gateway: string | null;
    readonly family: 4 | 6;
  } | null;
  readonly nameservers: readonly string[];
}

/** What a new guest is to be like. */
export interface NewShape {
  readonly name: string;
  readonly cores: number;
  readonly memoryMb: number;
  readonly network: GuestNetwork;
}

/** What a guest is to be like that takes the place of another one. */
export interface KeptShape {
  /** As the old one's configuration had them: `keptSettings`. */
  readonly settings: PlatformSettings;
}

/** @returns whether it is a guest of its own, in nobody's place. */
export const isNew = (shape: NewShape | KeptShape): shape is NewShape => "name" in shape;

/** The order to make a guest. */
export interface Installation {
  readonly guest: GuestAddress;
  readonly image: InstallImage;
  readonly storage: string;
  /** Pool of the host that it is to be in; null: none. */
  readonly pool: string | null;
  readonly shape: NewShape | KeptShape;
  /** Of a container's root file system, GiB; a machine's boot disk is the template's until it is grown. */
  readonly diskGb: number;
  /** Means nothing for a machine. */
  readonly containerRights: ContainerRights;
  readonly access: OwnerAccess;
  /** Note on the new guest; a job marks there what it makes, so that it can prove it after a crash. */
  readonly note: string;
}

/** What a guest that was made gets, in the place of its note and of what its template brought. */
export interface SetUp {
  readonly shape: NewShape | KeptShape;
  /** For a machine without a cloud-init drive: neither password, keys nor address would reach it. */
  readonly storage: string;
  readonly access: OwnerAccess;
}

/** What of an image keeps something of what is asked for from the guest that is made of it. */
export interface Hindrance {
  /** In the platform's words: `cicustom user=local:snippets/user.yaml`, `ostype unmanaged`. */
  readonly setting: string;
  /** The owner's password and keys, or the address. */
  readonly hides: readonly ("access" | "network")[];
  /** Whether the guest is set up without it; else it gets what is hidden in no way. */
  readonly isTakenOff: boolean;
}

/** Another address for a guest. Everything else of its card stays. */
export interface AddressChange {
  /** Which of its addresses it is for; null, or one that it does not have: the first card's. */
  readonly current: string | null;
  readonly address: string;
  readonly prefixLength: number;
  readonly family: 4 | 6;
  readonly gateway: string | null;
  readonly vlan: number | null;
  /** None: those that it has stay. */
  readonly nameservers: readonly string[];
}
