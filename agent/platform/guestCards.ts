// Reads which network cards and which addresses the guests of a cluster have by their configurations.
import { promises as fs } from "node:fs";
import { join } from "node:path";
import ipaddr from "ipaddr.js";
import { listIfThere, readIfThere } from "../files.js";

export interface GuestCards {
  /** MAC addresses, lower case. */
  readonly cards: ReadonlySet<string>;
  /** Static addresses, as `ipaddr.js` writes them. */
  readonly addresses: ReadonlySet<string>;
}

const KINDS = ["qemu-server", "lxc"] as const;

/** @param root where the node's file system begins. @throws when the cluster file system cannot be read */
export async function readGuestCards(root: string): Promise<GuestCards> {
  const nodes = join(root, "etc/pve/nodes");
  const folders = (await fs.readdir(nodes)).flatMap((node) => KINDS.map((kind) => join(nodes, node, kind)));
  const found = await Promise.all(folders.map(readFolder));
  return {
    cards: new Set(found.flatMap(({ cards }) => cards)),
    addresses: new Set(found.flatMap(({ addresses }) => addresses)),
  };
}

interface GuestCardFiles {
  readonly cards: string[];
  readonly addresses: string[];
}

/** One file after the other: a folder may have thousands. */
async function readFolder(folder: string): Promise<GuestCardFiles> {
  const found: GuestCardFiles = { cards: [], addresses: [] };
  for (const name of await listIfThere(folder)) {
    if (!name.endsWith(".conf")) continue;
    // A guest may go while others are read.
    const { cards, addresses } = parseCards((await readIfThere(join(folder, name))) ?? "");
    found.cards.push(...cards);
    found.addresses.push(...addresses);
  }
  return found;
}

/** A card of a guest, or its address where a machine has one of its own: `net0: …`, `ipconfig0: …`. */
const CARD = /^(?:net|ipconfig)\d+:(.*)$/;
const MAC = /=((?:[0-9a-f]{2}:){5}[0-9a-f]{2})$/i;
const ADDRESS = /^ip6?=([^/]+)/;

/** @param text a guest's configuration. @returns what it has now: its snapshots follow in sections of their own */
export function parseCards(text: string): GuestCardFiles {
  const [now = ""] = text.split(/^\[/m, 1);
  const values = now.split("\n").flatMap((line) => CARD.exec(line)?.[1]?.split(",") ?? []);
  const parts = values.map((value) => value.trim());
  return {
    cards: parts.flatMap((part) => MAC.exec(part)?.[1]?.toLowerCase() ?? []),
    addresses: parts
      .flatMap((part) => ADDRESS.exec(part)?.[1] ?? [])
      // `dhcp`, `auto` and `manual` stand for none.
      .filter((address) => ipaddr.isValid(address))
      .map((address) => ipaddr.parse(address).toString()),
  };
}
