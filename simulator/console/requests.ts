// Answers who asks for a console: a port, a ticket, and the task that waits for one connection.
import { randomBytes } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { ApiError, failure } from "../api.js";
import { startGuestTask } from "../guests/guestTask.js";
import { guestOf, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import type { GuestType } from "../state/guest.js";
import type { Worker } from "../tasks/worker.js";
import type { Proxy } from "./proxies.js";
import { closeProxy, isTicketOf, openProxy } from "./proxies.js";
import { greet } from "./terminals.js";

/** Simulated milliseconds that a proxy waits for somebody. */
const patienceMs = 10_000;

/** `POST …/vncproxy`: a password goes before the ticket, whether or not one was asked for. */
export function askForDisplay(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    guestOf(call, type);
    const { proxy, upid } = openFor(call, type, "vnc");
    const password = randomBytes(6).toString("base64url");
    const cert = call.platform.state.nodes.get(nodeOf(call))?.certificate ?? "";
    const ticket = `${password}:${proxy.ticket}`;
    return answer({ user: proxy.label, ticket, port: String(proxy.port), cert, upid, password });
  };
}

/** `POST …/termproxy`. */
export function askForTerminal(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    guestOf(call, type);
    const { proxy, upid } = openFor(call, type, "term");
    return answer({ user: proxy.label, ticket: proxy.ticket, port: String(proxy.port), upid });
  };
}

function openFor(call: Call, type: GuestType, kind: Proxy["kind"]): { proxy: Proxy; upid: string } {
  const { platform, identity } = call;
  const place = { kind, node: nodeOf(call), vmid: vmidOf(call), label: identity.label };
  const proxy = openProxy(platform, place);
  const upid = startGuestTask(call, {
    type: "vncproxy",
    expectedMs: patienceMs,
    run: (task) => serve(call, { type, proxy, task }).finally(() => closeProxy(platform.state, proxy)),
  });
  return { proxy, upid };
}

interface Service {
  type: GuestType;
  proxy: Proxy;
  task: Worker;
}

async function serve(call: Call, { type, proxy, task }: Service): Promise<void> {
  const { platform } = call;
  const waiting = new AbortController();
  const late = platform.clock.sleep(patienceMs, AbortSignal.any([waiting.signal, task.signal])).then(
    () => null,
    () => null,
  );
  const websocket = await Promise.race([proxy.connected.promise, late]);
  waiting.abort();
  task.signal.throwIfAborted();
  if (websocket === null) return giveUp(call, { type, proxy, task });
  if (platform.state.guests.get(proxy.vmid)?.runtime == null && type === "qemu") {
    websocket.close();
    task.log(`VM ${proxy.vmid} not running`);
    throw failure("Failed to run vncproxy.");
  }
  greet(platform.state, proxy, websocket);
  await new Promise<void>((resolve) => {
    websocket.once("close", () => resolve());
    task.signal.addEventListener("abort", () => websocket.terminate(), { once: true });
    if (websocket.readyState === websocket.CLOSED) resolve();
  });
  task.signal.throwIfAborted();
}

/** Nobody came: a container's display ends quietly, the others say so. */
function giveUp(call: Call, { type, proxy, task }: Service): void {
  if (proxy.kind === "vnc") {
    if (type === "lxc" || call.platform.state.guests.get(proxy.vmid)?.config.vga?.startsWith("serial") === true) return;
    throw failure("connection timed out");
  }
  task.log("connection timed out");
  const { vmid, port } = proxy;
  const serial = call.parameters.optional("serial");
  const program =
    type === "qemu"
      ? `/usr/sbin/qm terminal ${vmid} -escape 0${serial === undefined ? "" : ` -iface ${serial}`}`
      : `/usr/bin/dtach -A /var/run/dtach/vzctlconsole${vmid} -r winch -z lxc-console -n ${vmid} -e -1`;
  const options = `--path ${proxy.path} --perm VM.Console --vncticket-endpoint --verify-port --ticket-fd 6`;
  throw failure(`command '/usr/bin/termproxy ${port} ${options} -- ${program}' failed: exit code 1`);
}

/** `POST …/spiceproxy`: no simulated guest has such a display. */
export function askForSpice(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    const guest = guestOf(call, type);
    if (guest.runtime === null) throw failure(`${type === "qemu" ? "VM" : "CT"} ${guest.vmid} not running`);
    throw failure("no spice port");
  };
}

/** `GET …/vncwebsocket`: the ticket belongs to who asked, to the guest's path and to the port. @throws ApiError 401 */
export function checkConsoleTicket(call: Call): ApiAnswer {
  const { parameters, identity } = call;
  const holder = { label: identity.label, path: `/vms/${vmidOf(call)}`, port: Number(parameters.text("port")) };
  if (!isTicketOf(parameters.text("vncticket"), holder))
    throw new ApiError(401, "permission denied - invalid PVEVNC ticket");
  return answer({ port: parameters.text("port") });
}

/** `PUT …/sendkey`. */
export function sendKey(call: Call): ApiAnswer {
  const guest = guestOf(call, "qemu");
  if (guest.runtime === null) throw failure(`VM ${guest.vmid} not running`);
  return answer(null);
}
