// Puts guests' records, with the fields that the client asked for, into records that only name them.
import type { GraphQLResolveInfo } from "graphql";
import type { Context } from "../src/context/context.js";
import { guests } from "../src/reads/models/guest.js";
import { guestClauses } from "../src/reads/models/guestList.js";
import { selectRows, type ReadRow } from "../src/reads/engine/read.js";

/** A record that names its guest. */
interface NamesGuest {
  readonly guestId: number;
}

/**
 * Reads all guests in one statement. A guest that vanished meanwhile takes its record along.
 * @param path leads from the resolver's field to the guest.
 */
export async function withGuests<Item extends NamesGuest>(
  context: Context,
  info: GraphQLResolveInfo,
  { items, path }: { readonly items: readonly Item[]; readonly path: readonly string[] },
): Promise<(Item & { readonly guest: ReadRow })[]> {
  if (items.length === 0) return [];
  const rows = await selectRows(context, guests, info, {
    path,
    also: ["id"],
    where: guestClauses({ ids: items.map(({ guestId }) => guestId) }),
    orderBy: (guest) => `${guest}.id`,
  });
  const byId = new Map(rows.map((row) => [row["id"], row]));
  return items.flatMap((item) => {
    const guest = byId.get(item.guestId);
    return guest === undefined ? [] : [{ ...item, guest }];
  });
}
