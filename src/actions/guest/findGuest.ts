// Finds the guest that a request is about, as its viewer may see it, and says why it may not be touched.
import type { Pool, PoolClient } from "pg";
import { permitHost } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import type { GuestStatus, GuestType } from "../../core/enums.js";
import { guestLockSql } from "../../core/guest/lock.js";
import { DroverError, notFound } from "../../errors/errors.js";
import { Parameters } from "../../reads/engine/statement.js";
import { visibleGuest } from "../../reads/models/visibility.js";

/** How callers name a guest. */
export interface GuestReference {
  readonly hostId: number;
  readonly type: GuestType;
  readonly vmid: number;
}

/** What the inventory holds of it. */
export interface FoundGuest extends GuestReference {
  readonly id: number;
  readonly node: string;
  readonly status: GuestStatus;
  readonly template: boolean;
  readonly safetyCopy: boolean;
  /** Whether a job or a migration holds it. */
  readonly busy: boolean;
  readonly ownerId: number | null;
  /** Of its system disk; of all its disks while nothing has said which of them that is; null: not known. */
  readonly systemDiskBytes: number | null;
  /** Name of its host while that is switched off and nothing can be done on it; null otherwise. */
  readonly switchedOffHost: string | null;
  /** As the inventory stores it: by what the guest is known again. */
  readonly identity: unknown;
}

/** SQL of the column of that name, of the guest `g`. */
const SWITCHED_OFF_HOST = `(select h.name from host h where h.id = g.host_id and not h.active) as "switchedOffHost"`;

const COLUMNS = `g.id, g.host_id as "hostId", g.type, g.vmid, n.name as node, g.status, g.template,
  g.safety_copy as "safetyCopy", g.owner_id as "ownerId",
  coalesce(g.system_disk_bytes, case when g.unsized_disks = '{}' then g.disk_bytes end)::float8 as "systemDiskBytes", g.identity,
  exists (select 1 from resource_lock l where l.key = ${guestLockSql("g")}) as busy, ${SWITCHED_OFF_HOST}`;

/** Looks only. @throws DroverError `forbidden` for a host out of scope, `notFound` also for guests that the viewer does not see */
export const findGuest = (context: Context, reference: GuestReference): Promise<FoundGuest> =>
  find(context, context.pool, { reference, lock: "" });

/** Looks, and keeps the row as it is until the transaction ends. @throws DroverError as `findGuest` */
export const holdGuest = (context: Context, client: PoolClient, reference: GuestReference): Promise<FoundGuest> =>
  find(context, client, { reference, lock: "for no key update of g" });

async function find(
  context: Context,
  database: Pool | PoolClient,
  { reference, lock }: { reference: GuestReference; lock: string },
): Promise<FoundGuest> {
  const { hostId, type, vmid } = reference;
  permitHost(context, hostId);
  const { viewer } = context;
  const parameters = new Parameters();
  const [host, kind, number] = [hostId, type, vmid].map((value) => parameters.value(value));
  const text = `select ${COLUMNS} from guest g join node n on n.id = g.node_id
    where g.host_id = ${host} and g.type = ${kind} and g.vmid = ${number} and ${visibleGuest("g", viewer, parameters.bind)} ${lock}`;
  const values = parameters.values({ viewer, now: context.clock.now(), variables: {} });
  const { rows } = await database.query<FoundGuest>(text, values);
  const [guest] = rows;
  if (guest === undefined) throw notFound(`Guest ${type}/${vmid} of host ${hostId}`);
  return guest;
}

/** Templates and safety copies are left as they are. @throws DroverError `conflict` (`SAFETY_COPY`, `IS_TEMPLATE`) */
export function refuseUnchangeable({
  vmid,
  safetyCopy,
  template,
}: Pick<FoundGuest, "vmid" | "safetyCopy" | "template">): void {
  if (safetyCopy) throw conflict("SAFETY_COPY", `guest ${vmid} is a safety copy: it can only be deleted`);
  if (template) throw conflict("IS_TEMPLATE", `guest ${vmid} is a template`);
}

/** The refusal for a guest that a job or a migration holds. */
export const guestBusy = (vmid: number): DroverError =>
  conflict("GUEST_BUSY", `guest ${vmid} is busy with another job`);

const conflict = (reason: string, message: string): DroverError => new DroverError("conflict", message, { reason });
