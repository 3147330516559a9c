// Opens migration tunnels on the target: the mtunnel call, its task, and the websockets that belong to it.
import type { z } from "zod";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { Permissions } from "../access/permissions.js";
import type { ApiAnswer } from "../api.js";
import { failure, parameterError, permissionError } from "../api.js";
import { requireBridge } from "../guests/bridges.js";
import { checkVmidUnused } from "../guests/lookup.js";
import { splitList } from "../parameters/lists.js";
import type { Platform } from "../platform.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import type { GuestType } from "../state/guest.js";
import { newGuest } from "../state/guest.js";
import type { PlatformState } from "../state/platform.js";
import { canHold } from "../storage/storages.js";
import { findVolume } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import type { SocketRequest } from "../transport/hostEndpoint.js";
import { commandSchema, contentMessageSchema, readJson } from "./protocol.js";
import { textOf } from "./tunnelClient.js";
import { checkTargetStorage, handleCommand } from "./tunnelCommands.js";
import { TunnelSession } from "./tunnelSession.js";

interface OpenTunnel {
  session: TunnelSession;
  /** Resolved with the source's websocket. */
  opened: PromiseWithResolvers<WebSocket>;
}

const tunnels = new WeakMap<PlatformState, Set<OpenTunnel>>();

function tunnelsOf(state: PlatformState): Set<OpenTunnel> {
  const known = tunnels.get(state) ?? new Set<OpenTunnel>();
  tunnels.set(state, known);
  return known;
}

/** `POST …/mtunnel`: makes an empty guest and the task that waits for the source. */
export function openTunnel(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    const guest = { type, vmid: vmidOf(call), node: checkedNode(call) };
    for (const name of splitList(call.parameters.optional("storages") ?? "")) checkTargetStorage({ call, guest }, name);
    for (const name of splitList(call.parameters.optional("bridges") ?? "")) {
      requireBridge(call.platform.state, guest.node, name);
    }
    makeEmptyGuest(call, guest);
    return answer(startTunnel(withPresentRights(call), guest));
  };
}

/** A worker goes by the rights that were in force when it began, even when its token is deleted meanwhile. */
function withPresentRights(call: Call): Call {
  const rights = { permissions: { value: new Permissions(structuredClone(call.platform.state.access)) } };
  const platform: Platform = Object.create(call.platform, rights);
  return { ...call, platform };
}

function checkedNode(call: Call): string {
  const node = call.parameters.text("node");
  if (node === "localhost" || node === call.answeringNode) return call.answeringNode;
  throw parameterError({ node: `node needs to be 'localhost' or local hostname '${call.answeringNode}'` });
}

type GuestPlace = TunnelSession["guest"];

function makeEmptyGuest({ platform }: Call, guest: GuestPlace): void {
  try {
    checkVmidUnused(platform.state, guest.vmid);
  } catch (error) {
    const name = guest.type === "qemu" ? "VM" : "CT";
    const why = error instanceof Error ? error.message : String(error);
    throw parameterError({ vmid: `unable to create empty ${name} config - ${why}\n` });
  }
  const empty = newGuest({ ...guest, createdAtMs: platform.clock.now() }, { lock: "create" });
  platform.state.guests.set(guest.vmid, empty);
}

function startTunnel(call: Call, guest: GuestPlace): Record<string, string> {
  const { platform, identity } = call;
  const session = new TunnelSession(call, guest);
  const tunnel: OpenTunnel = { session, opened: Promise.withResolvers<WebSocket>() };
  tunnelsOf(platform.state).add(tunnel);
  const socket = session.controlSocket;
  const upid = platform.tasks.start({
    node: guest.node,
    type: guest.type === "qemu" ? "qmtunnel" : "vzmtunnel",
    id: String(guest.vmid),
    identity,
    run: async (task) => {
      session.begin(task);
      await serve(tunnel, task).finally(() => tunnelsOf(platform.state).delete(tunnel));
    },
  });
  return { upid, ticket: session.issueTicket(socket), socket };
}

/** The tunnel's task: waits for the source and stays until it has gone. */
async function serve({ session, opened }: OpenTunnel, task: Worker): Promise<void> {
  task.log("mtunnel started");
  const websocket = await acceptSource(session, opened.promise, task);
  const gone = new Promise<void>((resolve) => {
    if (websocket.readyState === websocket.CLOSED) resolve();
    websocket.once("close", () => resolve());
  });
  const stopped = onceAborted(task.signal).then(() => websocket.terminate());
  await Promise.race([gone, stopped.then(() => gone)]);
  task.signal.throwIfAborted();
  if (!session.exiting) throw failure("mtunnel exited unexpectedly");
  task.log("mtunnel exited");
}

async function acceptSource(session: TunnelSession, opened: Promise<WebSocket>, task: Worker): Promise<WebSocket> {
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, task.signal]);
  const { clock, tunnelPatienceMs } = session.call.platform;
  const late = clock.sleep(tunnelPatienceMs, signal).then(
    () => null,
    () => null,
  );
  const websocket = await Promise.race([opened, late]);
  waiting.abort();
  task.signal.throwIfAborted();
  if (websocket !== null) return websocket;
  task.log("Failed to accept tunnel connection - got timeout");
  task.log("Removing tunnel socket..");
  task.log("Removing temporary VM config..");
  session.call.platform.state.guests.delete(session.guest.vmid);
  throw failure("Exiting mtunnel");
}

async function onceAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

const websockets = new WebSocketServer({ noServer: true });

/**
 * Connects a websocket with the tunnel whose ticket it shows.
 * @throws ApiError 403 or 500 when there is no such tunnel, or it is somebody else's
 */
export function acceptWebSocket(platform: Platform, request: SocketRequest): void {
  const socket = request.query.get("socket") ?? "";
  const ticket = request.query.get("ticket") ?? "";
  const tunnel = [...tunnelsOf(platform.state)].find(({ session }) => session.isTicket(socket, ticket));
  if (tunnel === undefined) throw failure("permission denied - invalid PVETUNNEL ticket");
  if (tunnel.session.call.identity.label !== request.identity.label) throw permissionError();
  websockets.handleUpgrade(request.message, request.stream, request.head, (websocket) => {
    websocket.on("error", () => websocket.terminate());
    if (socket === tunnel.session.controlSocket) acceptCommands(tunnel, websocket);
    else if (socket === tunnel.session.diskSocket) acceptDisk(tunnel.session, websocket);
    else acceptLive(tunnel.session, websocket);
  });
}

/** Hands messages over; one that cannot be read ends the connection, and the tunnel's task says so. */
function onMessage<T>(
  { session, websocket }: { session: TunnelSession; websocket: WebSocket },
  schema: z.ZodType<T>,
  take: (message: T) => void,
): void {
  websocket.on("message", (data) => {
    const message = readJson(schema, textOf(data));
    if (message.success) return take(message.data);
    session.task.log(`unable to read message: ${message.error.message}`);
    websocket.terminate();
  });
}

function acceptCommands({ session, opened }: OpenTunnel, websocket: WebSocket): void {
  onMessage({ session, websocket }, commandSchema, (command) => {
    handleCommand(session, command).then(
      (reply) => websocket.send(JSON.stringify(reply)),
      (error: unknown) => {
        session.task.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
        websocket.terminate();
      },
    );
  });
  opened.resolve(websocket);
}

/** The content of a volume is not sent, only how much of it has arrived. */
function acceptDisk(session: TunnelSession, websocket: WebSocket): void {
  const { disk } = session;
  if (disk === null) return websocket.terminate();
  if (!disk.begin()) return websocket.terminate();
  onMessage({ session, websocket }, contentMessageSchema, (message) => {
    if ("end" in message) disk.finish(message);
    else if (!disk.grow(message.received)) websocket.terminate();
  });
  websocket.on("close", () => {
    if (!disk.ended) disk.abort();
  });
}

/** Mirrored disks fill up; once all memory is there, the VM is ready to go on. */
function acceptLive(session: TunnelSession, websocket: WebSocket): void {
  const { call, guest } = session;
  const { platform } = call;
  onMessage({ session, websocket }, contentMessageSchema, (message) => {
    if ("end" in message) {
      const runtime = platform.state.guests.get(guest.vmid)?.runtime;
      if (runtime) Object.assign(runtime, { qmpstatus: "paused", memoryBytes: message.memoryBytes ?? 0 });
    } else {
      const volume = findVolume(platform, message.volid ?? "", guest.node);
      if (volume === null) return;
      volume.hasSystem = message.hasSystem ?? false;
      const written = { node: guest.node, bytes: message.received };
      if (canHold(platform.state, volume, written)) volume.used = Math.max(volume.used, message.received);
      else websocket.terminate();
    }
  });
}
