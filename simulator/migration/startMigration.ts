// Answers remote_migrate: what is refused at once, and the task that does the rest.
import { z } from "zod";
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf } from "../guests/lookup.js";
import { drivesOf } from "../qemu/drives.js";
import type { Call } from "../route.js";
import type { Guest, GuestType } from "../state/guest.js";
import { findVolume } from "../storage/volumes.js";
import { CtMigration } from "./ctMigration.js";
import type { Endpoint } from "./endpoint.js";
import { parseEndpoint } from "./endpoint.js";
import type { IdMap } from "./idMap.js";
import { parseIdMap } from "./idMap.js";
import type { MigrationOrder } from "./migration.js";
import { migrate, Migration } from "./migration.js";
import { RemoteApi } from "./remoteApi.js";
import { VmMigration } from "./vmMigration.js";

const defaultShutdownSeconds = 180;
/** Simulated milliseconds that every volume takes beside its transfer. */
const perVolumeMs = 7000;

/** `POST …/qemu/{vmid}/remote_migrate`. */
export async function migrateVm(call: Call): Promise<ApiAnswer> {
  const guest = guestOf(call, "qemu");
  checkLock(guest);
  refuseHighAvailability(guest, "VM");
  const endpoint = parseEndpoint(call.parameters.text("target-endpoint"));
  await learnFingerprint(endpoint);
  refuseReplicated(guest);
  if (guest.runtime !== null && !call.parameters.flag("online"))
    throw failure("can't migrate running VM without --online");
  return start(call, guest, await readOrder(call, endpoint));
}

/** `POST …/lxc/{vmid}/remote_migrate`. */
export async function migrateCt(call: Call): Promise<ApiAnswer> {
  const guest = guestOf(call, "lxc");
  checkLock(guest);
  if (guest.runtime !== null && !call.parameters.flag("online") && !call.parameters.flag("restart"))
    throw failure("can't migrate running container without --online or --restart");
  refuseHighAvailability(guest, "CT");
  const endpoint = parseEndpoint(call.parameters.text("target-endpoint"));
  await learnFingerprint(endpoint);
  refuseReplicated(guest);
  return start(call, guest, await readOrder(call, endpoint));
}

function refuseReplicated({ replicatedTo }: Guest): void {
  if (replicatedTo !== null) throw failure("cannot remote-migrate replicated VM");
}

function refuseHighAvailability(guest: Guest, name: string): void {
  if (guest.hastate !== null) throw parameterError({ vmid: `cannot remote-migrate ${name} that is configured for HA` });
}

/** Without a fingerprint the certificate would have to be trusted by the system, which no node's own is. */
async function learnFingerprint(endpoint: Endpoint): Promise<void> {
  if (endpoint.fingerprint === null) await new RemoteApi(endpoint).get("/nodes/localhost/certificates/info");
}

async function readOrder(call: Call, endpoint: Endpoint): Promise<MigrationOrder> {
  const { parameters } = call;
  const storages = readMap(call, "target-storage", "storage");
  const bridges = readMap(call, "target-bridge", "bridge");
  if (storages.identity) throw failure("remote migration requires explicit storage mapping!");
  return {
    endpoint,
    storages,
    bridges,
    targetNode: await findTargetNode(endpoint),
    targetVmid: parameters.number("target-vmid") ?? Number(parameters.text("vmid")),
    online: parameters.flag("online"),
    restart: parameters.flag("restart"),
    remove: parameters.flag("delete"),
    bandwidth: parameters.number("bwlimit") ?? null,
    timeout: parameters.number("timeout") ?? defaultShutdownSeconds,
  };
}

function readMap(call: Call, name: string, kind: string): IdMap {
  try {
    return parseIdMap(call.parameters.text(name));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw parameterError({ [name]: `failed to parse ${kind} map: ${why}\n` });
  }
}

const statusSchema = z.array(
  z.looseObject({ type: z.string(), name: z.string(), local: z.coerce.number().optional() }),
);

/** The target is the node that answers. */
async function findTargetNode(endpoint: Endpoint): Promise<string> {
  const rows = statusSchema.parse(await new RemoteApi(endpoint).get("/cluster/status"));
  const local = rows.find((row) => row.type === "node" && row.local === 1);
  if (local === undefined) throw failure("couldn't determine endpoint's node name");
  return local.name;
}

function start(call: Call, guest: Guest, order: MigrationOrder): ApiAnswer {
  const { platform } = call;
  return answerWithTask(call, {
    type: guest.type === "qemu" ? "qmigrate" : "vzmigrate",
    expectedMs: expectedMs(call, guest, order),
    run: (task) =>
      platform.locks.hold(guest, () => {
        const migration = new Migration(platform, task, guest, order);
        return migrate(migration, procedureFor(guest.type, migration));
      }),
  });
}

function procedureFor(type: GuestType, migration: Migration): VmMigration | CtMigration {
  return type === "qemu" ? new VmMigration(migration) : new CtMigration(migration);
}

function expectedMs({ platform }: Call, guest: Guest, order: MigrationOrder): number {
  const volids =
    guest.type === "qemu"
      ? drivesOf(platform.release, guest.config).map(([, drive]) => drive.file)
      : Object.values(guest.config).map((value) => value.split(",")[0] ?? "");
  const volumes = volids.flatMap((volid) => findVolume(platform, volid, guest.node) ?? []);
  const bytes = volumes.reduce((sum, volume) => sum + volume.size, 0);
  const rate = Math.min(platform.tasks.bytesPerSecond, (order.bandwidth || Number.POSITIVE_INFINITY) * 1024);
  return (bytes / rate) * 1000 + volumes.length * perVolumeMs + 2000;
}
