// Connects a host of a move as a user with certain rights, and reads what a host was asked and granted.
import assert from "node:assert/strict";
import { HOST_SECRET } from "../../../src/access/secretPurpose.js";
import { newUser } from "../../../simulator/state/access.js";
import { control } from "../../inventory/support/control.js";
import type { MoveStage, Side } from "./stage.js";

const SECRET = "99999999-2222-4333-8444-555555555555";

/** The role of docs/operating.md for every host. */
export const MINIMAL_ROLE =
  `VM.Audit VM.Allocate VM.Clone VM.Migrate VM.PowerMgmt VM.Config.Disk VM.Config.CDROM VM.Config.CPU VM.Config.Memory
  VM.Config.Network VM.Config.HWType VM.Config.Options VM.Config.Cloudinit Datastore.Audit Datastore.AllocateSpace
  Sys.Audit SDN.Audit SDN.Use`.split(/\s+/);

/** What docs/operating.md adds for a host that guests move to. */
export const TARGET_RIGHTS = ["User.Modify", "Sys.Incoming"];

/** What docs/operating.md adds so that the tokens of moves are limited. */
export const LIMITING_RIGHTS = ["Permissions.Modify", "Sys.Modify"];

/** Lets the moves to a side go by tokens that are not limited. */
export const allowUnrestricted = (stage: MoveStage, { hostId }: Side): Promise<unknown> =>
  stage.services.pool.query(`update host set allow_unrestricted_move_token = true where id = $1`, [hostId]);

/** A role of a user on a path. */
export interface Held {
  readonly path: string;
  readonly privileges: readonly string[];
}

interface Spread {
  /** Whether what is held on a path holds below it too. */
  readonly propagate: boolean;
}

/** A host that is connected. */
type Connected = Pick<Side, "host" | "hostId">;

/** Gives a user exactly these rights. */
export function setRights(
  { host }: Pick<Side, "host">,
  user: string,
  held: readonly Held[],
  { propagate }: Spread = { propagate: true },
): void {
  const { access } = host.platform.state;
  access.rules = access.rules.filter(({ ugid }) => ugid !== user);
  for (const [index, { path, privileges }] of held.entries()) {
    const roleid = `${user}-${index}`.replace("@", "-");
    access.roles.set(roleid, new Set(privileges));
    access.rules.push({ path, type: "user", ugid: user, roleid, propagate });
  }
}

/** Connects a side by a token of a user who holds exactly this; every call makes another user. @returns the user */
export async function connectAs(
  stage: Pick<MoveStage, "services">,
  side: Connected,
  held: readonly Held[],
  spread?: Spread,
): Promise<string> {
  const { host, hostId } = side;
  const { access } = host.platform.state;
  const name = `drover${access.users.size}@pve`;
  const user = newUser(name, null);
  user.tokens.set("panel", { secret: SECRET, privilegeSeparated: false, expire: 0, comment: null });
  access.users.set(name, user);
  setRights(side, name, held, spread);
  const { pool, secrets, hypervisors } = stage.services;
  await pool.query(`update host set user_name = $2, token_id = 'panel', secret_encrypted = $3 where id = $1`, [
    hostId,
    name,
    secrets.seal(SECRET, HOST_SECRET),
  ]);
  await hypervisors.forget(hostId);
  return name;
}

/** One request, as the control address shows it. */
export interface Asked {
  readonly n: number;
  readonly method: string;
  readonly path: string;
  readonly form: Readonly<Record<string, string>> | null;
  readonly status: number | null;
}

export async function requestsOf({ host }: Pick<Side, "host">, since = 0): Promise<readonly Asked[]> {
  const answer = await control(host.control).get(`/requests?since=${since}`);
  assert.ok(Array.isArray(answer));
  return answer;
}

/** How often tokens of moves were ordered on a side, with their separation as it was sent. */
export const tokensOrdered = async (side: Side, since = 0): Promise<(string | undefined)[]> =>
  (await requestsOf(side, since))
    .filter(({ method, path }) => method === "POST" && path.includes("/token/mig-"))
    .map(({ form }) => form?.["privsep"]);
