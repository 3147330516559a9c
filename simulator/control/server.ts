// Serves a host's control address: plain HTTP on loopback, JSON in and out.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { ControlError } from "./answers.js";
import type { ControlCall, ControlParts } from "./actions.js";
import { ControlActions } from "./actions.js";
import { listen } from "../transport/listen.js";

const bodyLimit = 1024 ** 2;

interface ControlRoute {
  method: string;
  /** The one group is the variable segment. */
  path: RegExp;
  run: (actions: ControlActions, call: ControlCall) => unknown;
}

const routes: readonly ControlRoute[] = [
  { method: "GET", path: /^\/state$/, run: (actions) => actions.state() },
  { method: "GET", path: /^\/requests$/, run: (actions, call) => actions.requests(call) },
  { method: "POST", path: /^\/faults$/, run: (actions, call) => actions.addFault(call) },
  { method: "DELETE", path: /^\/faults$/, run: (actions) => actions.clearFaults() },
  { method: "DELETE", path: /^\/faults\/([^/]+)$/, run: (actions, call) => actions.removeFault(call) },
  { method: "POST", path: /^\/tasks\/fail$/, run: (actions, call) => actions.failTasks(call) },
  { method: "POST", path: /^\/speed$/, run: (actions, call) => actions.setSpeed(call) },
  { method: "POST", path: /^\/nodes\/([^/]+)$/, run: (actions, call) => actions.changeNode(call) },
  { method: "POST", path: /^\/nodes\/([^/]+)\/shell$/, run: (actions, call) => actions.runCommand(call) },
  { method: "PUT", path: /^\/nodes\/([^/]+)\/forwards$/, run: (actions, call) => actions.setForwards(call) },
  { method: "POST", path: /^\/guests$/, run: (actions, call) => actions.addGuest(call) },
  { method: "POST", path: /^\/guests\/([^/]+)$/, run: (actions, call) => actions.setCounters(call) },
  { method: "POST", path: /^\/backups$/, run: (actions, call) => actions.addBackup(call) },
  { method: "POST", path: /^\/consoles\/([^/]+)$/, run: (actions, call) => actions.writeToConsole(call) },
  { method: "DELETE", path: /^\/guests\/([^/]+)$/, run: (actions, call) => actions.removeGuest(call) },
];

/** An open control address. */
interface OpenControl {
  url: string;
  close(): Promise<void>;
}

/**
 * Opens the control address on 127.0.0.1.
 * @param port 0 for any that is free
 */
export async function openControl(parts: ControlParts, port: number): Promise<OpenControl> {
  const actions = new ControlActions(parts);
  const server = createServer((request, response) => {
    answer(request, response, actions).catch((error: unknown) => {
      send(response, 500, { error: error instanceof Error ? error.message : String(error) });
    });
  });
  const open = await listen(server, { address: "127.0.0.1", port });
  return { url: `http://127.0.0.1:${open.port}`, close: () => open.close() };
}

async function answer(request: IncomingMessage, response: ServerResponse, actions: ControlActions): Promise<void> {
  try {
    const { route, call } = await readCall(request);
    send(response, 200, await route.run(actions, call));
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    send(response, error.status, { error: error.message });
  }
}

async function readCall(request: IncomingMessage): Promise<{ route: ControlRoute; call: ControlCall }> {
  const url = new URL(request.url ?? "/", "http://control");
  const path = url.pathname.replace(/(?<=.)\/$/, "");
  const known = routes.filter((route) => route.path.test(path));
  const route = known.find(({ method }) => method === request.method);
  if (known.length === 0) throw new ControlError(404, `there is no ${path}`);
  if (route === undefined) throw new ControlError(405, `${path} is not for ${request.method ?? "this method"}`);
  const name = decodeURIComponent(route.path.exec(path)?.[1] ?? "");
  return { route, call: { name, query: url.searchParams, body: await readJson(request) } };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > bodyLimit) throw new ControlError(400, "the body is too large");
    chunks.push(bytes);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlError(400, "the body is no JSON");
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}
