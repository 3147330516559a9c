// Opens the tunnel of a migration on its source: the target's mtunnel call, the websocket, and the version check.
import { z } from "zod";
import { failure } from "../api.js";
import type { GuestType } from "../state/guest.js";
import type { Migration } from "./migration.js";
import { RemoteApi } from "./remoteApi.js";
import { Tunnel, TunnelRefused, unopenedTunnel } from "./tunnelClient.js";
import { tunnelVersion } from "./tunnelVersion.js";

const mtunnelSchema = z.object({ upid: z.string(), ticket: z.string(), socket: z.string() });

/** What the target is asked to check before anything is copied. */
interface Needs {
  type: GuestType;
  storages: ReadonlySet<string>;
  bridges: ReadonlySet<string>;
}

/**
 * Opens the tunnel.
 * @throws ApiError with the target's refusal
 */
export async function openSource(migration: Migration, needs: Needs): Promise<void> {
  const { order, log } = migration;
  const guestPath = `/nodes/${order.targetNode}/${needs.type}/${order.targetVmid}`;
  const made = mtunnelSchema.parse(
    await new RemoteApi(order.endpoint).post(`${guestPath}/mtunnel`, {
      storages: [...needs.storages].join(","),
      bridges: [...needs.bridges].join(","),
    }),
  );
  log.info(`remote: started tunnel worker '${made.upid}'`);
  migration.tunnel = await connect(migration, { guestPath, ...made });
  await checkVersion(migration, migration.tunnel);
  if (needs.type === "qemu") log.raw("websocket tunnel started");
  else log.info("websocket tunnel started");
}

async function connect(
  migration: Migration,
  address: { guestPath: string; ticket: string; socket: string },
): Promise<Tunnel> {
  const { order, log } = migration;
  try {
    return await Tunnel.open({ endpoint: order.endpoint, ...address }, (line) => log.raw(line));
  } catch (error) {
    if (!(error instanceof TunnelRefused)) throw error;
    log.raw(`tunnel: ws refused: ${error.message}`);
    return giveUp(migration);
  }
}

/** The program has ended, but its process is waited for all the same. */
async function giveUp(migration: Migration): Promise<never> {
  const { log } = migration;
  log.raw("CMD websocket tunnel died: command 'proxmox-websocket-tunnel' failed: exit code 1");
  log.raw("");
  log.info("tunnel still running - terminating now with SIGTERM");
  await migration.rest(10_000);
  log.info("tunnel still running - terminating now with SIGKILL");
  await migration.rest(1000);
  throw failure(unopenedTunnel);
}

async function checkVersion({ log, platform, guest }: Migration, tunnel: Tunnel): Promise<void> {
  const local = tunnelVersion(platform, guest.node, guest.type).api;
  const { api, age } = await tunnel.command("version");
  const remote = Number(api);
  const minimum = remote - Number(age);
  log.info(`local WS tunnel version: ${local}`);
  log.info(`remote WS tunnel version: ${remote}`);
  log.info(`minimum required WS tunnel version: ${minimum}`);
  if (local < minimum) throw failure("Remote tunnel endpoint not compatible, upgrade required");
  if (local > remote) throw failure("Remote tunnel endpoint too old, upgrade required");
}
