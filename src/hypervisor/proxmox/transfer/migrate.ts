// Starts the move of a guest to another host, and asks about what must be known before.
import { z } from "zod";
import { GuestType, MigrationMode } from "../../../core/enums.js";
import type { GuestAddress, RemoteMigration } from "../../guest.js";
import type { NodeEndpoint } from "../../observed.js";
import type { Upid } from "../../task.js";
import { fullTokenName } from "../rights/access.js";
import type { Ask } from "../client.js";
import { guestPath } from "../guests.js";
import { figureOrNull } from "../figures.js";
import { flag, listOf, text, textOrNull, understand } from "../parse.js";
import { apiPath, inHeader, type ApiParameters } from "../path.js";
import { NOTHING, unlessRefused } from "../refusedAnswer.js";
import { upid } from "../upid.js";

const KIB_A_MIB = 1024;

const snapshotsAnswer = listOf(z.object({ name: text }));
const membersAnswer = listOf(z.object({ type: text, name: text, ip: textOrNull }));
const certificatesAnswer = listOf(z.object({ filename: textOrNull, fingerprint: textOrNull }));
const replicationAnswer = listOf(z.object({ guest: figureOrNull("vmid") }));
const managedAnswer = z.object({ ha: z.object({ managed: flag }).nullish() });

/** The answer comes once the source has reached the target; whatever is refused later is said by the task. */
export async function migrateRemotely(ask: Ask, migration: RemoteMigration): Promise<Upid> {
  const path = `${guestPath(migration.guest)}/remote_migrate`;
  const { data } = await ask({
    method: "POST",
    path,
    parameters: migrationParameters(migration),
    secrets: [migration.secret],
  });
  return upid(data, path);
}

function migrationParameters(migration: RemoteMigration): ApiParameters {
  const { guest, mode, endpoint, token, secret, storages, bridges, targetVmid, bandwidthMib } = migration;
  const fingerprint = endpoint.fingerprint === null ? "" : `,fingerprint=${endpoint.fingerprint}`;
  return {
    // Without `PVEAPIToken=` the first check passes, and the tunnel is refused afterwards.
    "target-endpoint": `apitoken=PVEAPIToken=${inHeader(fullTokenName(token))}=${secret},host=${endpoint.host},port=${endpoint.port}${fingerprint}`,
    "target-storage": pairs(storages),
    // `1` keeps the names; a guest without network has none.
    "target-bridge": bridges.length === 0 ? "1" : pairs(bridges),
    "target-vmid": targetVmid,
    online: mode === MigrationMode.LIVE && guest.type === GuestType.QEMU ? true : undefined,
    restart: mode === MigrationMode.RESTART && guest.type === GuestType.LXC ? true : undefined,
    bwlimit: bandwidthMib === null ? undefined : bandwidthMib * KIB_A_MIB,
  };
}

const pairs = (map: RemoteMigration["storages"]): string =>
  map.map(({ source, target }) => `${source}:${target}`).join(",");

/** Without the entry for the present. */
export async function readSnapshots(ask: Ask, guest: GuestAddress): Promise<readonly string[]> {
  const { data, source } = await ask({ method: "GET", path: `${guestPath(guest)}/snapshot` });
  return understand(snapshotsAnswer, data, source).flatMap(({ name }) => (name === "current" ? [] : [name]));
}

/** A host that does not know this list replicates nothing; should it after all, it refuses the move itself. */
export async function isReplicated(ask: Ask, { node, vmid }: GuestAddress): Promise<boolean> {
  const path = apiPath`/nodes/${node}/replication`;
  const question = ask({ method: "GET", path, parameters: { guest: vmid } });
  const { data, source } = await unlessRefused(question, () => NOTHING);
  return understand(replicationAnswer, data, source).some(({ guest }) => guest === null || guest === vmid);
}

export async function isHighlyAvailable(ask: Ask, guest: GuestAddress): Promise<boolean> {
  const { data, source } = await ask({ method: "GET", path: `${guestPath(guest)}/status/current` });
  return understand(managedAnswer, data, source).ha?.managed ?? false;
}

/** Members of a cluster know each other's addresses; which certificate a node shows, it says itself, if it says so. */
export async function readEndpoint(ask: Ask, node: string): Promise<Omit<NodeEndpoint, "port">> {
  const path = apiPath`/nodes/${node}/certificates/info`;
  const [members, certificates] = await Promise.all([
    ask({ method: "GET", path: "/cluster/status" }),
    unlessRefused(ask({ method: "GET", path }), () => NOTHING),
  ]);
  const member = understand(membersAnswer, members.data, members.source).find(
    ({ type, name }) => type === "node" && name === node,
  );
  const shown = understand(certificatesAnswer, certificates.data, certificates.source);
  const certificate = ["pveproxy-ssl.pem", "pve-ssl.pem"].flatMap((file) =>
    shown.filter(({ filename }) => filename === file),
  )[0];
  return { host: member?.ip ?? node, fingerprint: certificate?.fingerprint ?? null };
}
