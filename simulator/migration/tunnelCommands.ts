// Carries out the commands that the source of a migration sends to its target.
import { ApiError, failure } from "../api.js";
import { enabledStorage } from "../storage/storages.js";
import { allocate, findVolume, free } from "../storage/volumes.js";
import { isFileStorage, volumeId } from "../state/storage.js";
import { parseSize } from "../parameters/sizes.js";
import { atLeast } from "../version.js";
import { printDrive } from "../qemu/drives.js";
import { applyIncomingConfig } from "./incomingConfig.js";
import { commonFormat, IncomingDisk } from "./incomingDisk.js";
import { startIncoming, stopIncoming } from "./incomingProcess.js";
import {
  bandwidthSchema,
  configSchema,
  diskImportSchema,
  diskSchema,
  quitSchema,
  startSchema,
  ticketSchema,
} from "./protocol.js";
import type { TunnelCommand } from "./protocol.js";
import type { TunnelSession } from "./tunnelSession.js";
import { tunnelVersion } from "./tunnelVersion.js";

const outputMs = 5000;
const pollMs = 100;

type Handler = (session: TunnelSession, command: TunnelCommand) => object | void | Promise<object | void>;

const vmCommands: Readonly<Record<string, Handler>> = {
  disk: makeMirrorTarget,
  start: (session, command) => startIncoming(session, startSchema.parse(command)),
  nbdstop: () => {},
  resume,
  fstrim: () => {},
};

const containerCommands: Readonly<Record<string, Handler>> = { start: (session) => startIncoming(session, null) };

const commands: Readonly<Record<string, Handler>> = {
  version: ({ call, guest }) => tunnelVersion(call.platform, guest.node, guest.type),
  bwlimit: (_session, command) => ({ bwlimit: bandwidthSchema.parse(command).bwlimit ?? null }),
  "disk-import": importDisk,
  "query-disk-import": queryImport,
  config: (session, command) => applyIncomingConfig(session, configSchema.parse(command)),
  ticket: issueTicket,
  stop: (session) => stopIncoming(session),
  unlock,
  quit,
};

/** Answers one command, as JSON would be sent back. */
export async function handleCommand(session: TunnelSession, command: TunnelCommand): Promise<object> {
  const { cmd } = command;
  const specific = session.guest.type === "qemu" ? vmCommands : containerCommands;
  const handler = specific[cmd] ?? commands[cmd];
  if (session.exiting) return refused(`tunnel is in exit-mode, processing '${cmd}' cmd not possible`);
  if (handler === undefined) return refused(`unknown command '${cmd}' given`);
  session.task.log(`received command '${cmd}'`);
  try {
    session.current();
    return { ...(await handler(session, command)), success: true };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refused(`failed to handle '${cmd}' command - ${wordsOf(error)}`);
  }
}

function refused(msg: string): object {
  return { success: false, msg };
}

function wordsOf(error: ApiError): string {
  const details = Object.entries(error.errors ?? {}).map(([name, text]) => `\n${name}: ${text}`);
  const prefix = error.status === 403 || error.status === 400 ? `${error.status} ` : "";
  return `${prefix}${error.message}${details.join("")}`;
}

/**
 * What a target storage must be for the caller.
 * @throws ApiError 500 or 403
 */
export function checkTargetStorage(session: Pick<TunnelSession, "call" | "guest">, name: string): void {
  const { call, guest } = session;
  const { platform, identity } = call;
  const storage = enabledStorage(platform.state, name, guest.node);
  platform.permissions.check(identity.label, `/storage/${name}`, ["Datastore.AllocateSpace"]);
  const isVm = guest.type === "qemu";
  if (!storage.content.includes(isVm ? "images" : "rootdir"))
    throw failure(`storage '${name}' does not support ${isVm ? "vm images" : "CT rootdirs"}`);
}

function importDisk(session: TunnelSession, command: TunnelCommand): object {
  const order = diskImportSchema.parse(command);
  const { platform } = session.call;
  checkTargetStorage(session, order.storage);
  if (session.disk !== null && !session.disk.ended) throw failure("disk import already running");
  const format = commonFormat(platform, order);
  if (format === null) throw failure(`no matching import/export format found for storage '${order.storage}'`);
  session.disk = new IncomingDisk(platform, session.guest, order);
  session.sockets.add(session.diskSocket);
  return { socket: session.diskSocket, format };
}

/** Hands the import's output over, one line a query. */
async function queryImport(session: TunnelSession): Promise<object> {
  const { disk, task } = session;
  if (disk === null) throw failure("no disk import running");
  await awaitOutput(session, disk);
  const line = disk.output.shift();
  if (line === undefined) {
    if (!disk.ended) return { status: "pending" };
    session.disk = null;
    return { status: "error", msg: "import process failed\n" };
  }
  task.log(`disk-import: ${line}\n\n`);
  if (!line.startsWith("successfully imported")) return { status: "pending", msg: `${line}\n` };
  session.disk = null;
  session.volumes.add(disk.volid);
  noteSizeCheck(session, disk.volid);
  return { status: "complete", volid: disk.volid };
}

/** A query waits five seconds for the import to say something. */
async function awaitOutput({ call }: TunnelSession, disk: IncomingDisk): Promise<void> {
  for (let waited = 0; waited < outputMs && disk.output.length === 0 && !disk.ended; waited += pollMs) {
    await call.platform.clock.sleep(pollMs);
  }
}

/** A warning that the present release prints for every imported file. */
function noteSizeCheck({ call, task }: TunnelSession, volid: string): void {
  const { state, release } = call.platform;
  const storage = state.storages.get(volid.split(":")[0] ?? "");
  if (storage === undefined || !isFileStorage(storage) || !atLeast(release, "9.2")) return;
  task.log("file_size_info: detected call with legacy parameter order: $untrusted before $file_format");
}

function makeMirrorTarget(session: TunnelSession, command: TunnelCommand): object {
  const { format, storage: name, drive } = diskSchema.parse(command);
  checkTargetStorage(session, name);
  const { platform } = session.call;
  const isFile = isFileStorage(enabledStorage(platform.state, name, session.guest.node));
  const made = allocate(
    platform,
    {
      storage: name,
      node: session.guest.node,
      vmid: session.guest.vmid,
      format: isFile ? format : "raw",
      bytes: parseSize(drive.size ?? "0") ?? 0,
    },
    (line) => session.task.log(line),
  );
  const volid = volumeId(made);
  const drivestr = printDrive(platform.release, "scsi0", { ...drive, file: volid, format: made.format });
  session.volumes.add(volid);
  session.mirrors.set(volid, drivestr);
  return { volid, drivestr };
}

function issueTicket(session: TunnelSession, command: TunnelCommand): object {
  const { path } = ticketSchema.parse(command);
  if (!session.sockets.has(path)) throw failure(`Not allowed to generate ticket for unknown socket '${path}'`);
  return { ticket: session.issueTicket(path) };
}

function resume(session: TunnelSession): void {
  const { runtime } = session.current();
  if (runtime === null) throw failure(`VM ${session.guest.vmid} not running`);
  runtime.qmpstatus = "running";
}

function unlock(session: TunnelSession): void {
  delete session.current().config.lock;
  session.lock = null;
}

function quit(session: TunnelSession, command: TunnelCommand): void {
  const { call, guest, task } = session;
  if (quitSchema.parse(command).cleanup === 1) {
    for (const volid of session.ownVolumes()) {
      task.log(`freeing volume '${volid}' as part of cleanup`);
      const volume = findVolume(call.platform, volid, guest.node);
      if (volume !== null) free(call.platform, volume, (line) => task.log(line));
    }
    call.platform.state.guests.delete(guest.vmid);
  }
  task.log("switching to exit-mode, waiting for client to disconnect");
  session.exiting = true;
}
