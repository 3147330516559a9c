// Speaks for the guest at the other end of a console: the greeting of its display, and what its terminal shows.
import type { WebSocket } from "ws";
import type { PlatformState } from "../state/platform.js";
import type { Proxy } from "./proxies.js";

const open = new WeakMap<PlatformState, Map<WebSocket, number>>();

function terminalsOf(state: PlatformState): Map<WebSocket, number> {
  const terminals = open.get(state) ?? new Map<WebSocket, number>();
  open.set(state, terminals);
  return terminals;
}

/** The first words of a display; a terminal waits for the ticket and answers what is typed. */
export function greet(state: PlatformState, proxy: Proxy, websocket: WebSocket): void {
  if (proxy.kind === "vnc") return websocket.send(Buffer.from("RFB 003.008\n"));
  websocket.once("message", (data) => {
    const text = Buffer.isBuffer(data) ? data.toString("utf8") : "";
    if (text !== `${proxy.label}:${proxy.ticket}\n`) return websocket.close();
    websocket.send(Buffer.from("OK"));
    terminalsOf(state).set(websocket, proxy.vmid);
    websocket.on("message", (typed) => echo(websocket, Buffer.isBuffer(typed) ? typed.toString("utf8") : ""));
    websocket.on("close", () => terminalsOf(state).delete(websocket));
  });
}

/** `0:LENGTH:TEXT` is input, `1:COLUMNS:ROWS:` a new size, `2` a sign of life. */
function echo(websocket: WebSocket, message: string): void {
  const [, input] = /^0:\d+:(.*)$/s.exec(message) ?? [];
  if (input !== undefined) websocket.send(Buffer.from(input));
}

/** @returns how many open terminals of the guest show the text */
export function writeToTerminal(state: PlatformState, vmid: number, text: string): number {
  const shown = [...terminalsOf(state)].filter(([, shownVmid]) => shownVmid === vmid);
  for (const [websocket] of shown) websocket.send(Buffer.from(text));
  return shown.length;
}
