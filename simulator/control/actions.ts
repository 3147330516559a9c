// Carries out what is ordered at the control address of one host.
import type { z } from "zod";
import { plantBackup } from "../backup/plant.js";
import { writeToTerminal } from "../console/terminals.js";
import { boot, cutPower } from "../guests/nodePower.js";
import { guestCounters } from "../inventory/load.js";
import type { Platform } from "../platform.js";
import type { GuestPlan } from "../scenarios/placeGuest.js";
import { placeGuest, removeGuest } from "../scenarios/placeGuest.js";
import type { Guest } from "../state/guest.js";
import type { SimulatedNode } from "../state/node.js";
import type { RequestJournal } from "../transport/requestJournal.js";
import { ControlError } from "./answers.js";
import type { FaultBoard } from "./faults.js";
import type { Forward, GuestOrder } from "./orders.js";
import {
  backupSchema,
  consoleSchema,
  countersSchema,
  faultSchema,
  forwardsSchema,
  guestSchema,
  nodeSchema,
  shellSchema,
  speedSchema,
  taskFailureSchema,
} from "./orders.js";
import { takeRawLines } from "./rawLines.js";
import { unlock } from "./shell.js";
import { describeGuest, describeState } from "./state.js";

const mib = 1024 ** 2;

/** What a control address works on. */
export interface ControlParts {
  platform: Platform;
  faults: FaultBoard;
  journal: RequestJournal;
}

/** One call, taken apart. */
export interface ControlCall {
  /** Value of the variable segment, empty where the path has none. */
  name: string;
  query: URLSearchParams;
  body: unknown;
}

/** The verbs of a control address. */
export class ControlActions {
  readonly #forwards = new Map<string, readonly Forward[]>();

  constructor(private readonly parts: ControlParts) {}

  state(): Promise<unknown> {
    const { platform, journal } = this.parts;
    return describeState(platform, { forwards: this.#forwards, requests: journal.count });
  }

  requests({ query }: ControlCall): unknown {
    const since = Number(query.get("since") ?? "0");
    if (!Number.isInteger(since) || since < 0) throw new ControlError(400, "since: must be a whole number");
    return this.parts.journal.since(since);
  }

  addFault({ body }: ControlCall): unknown {
    const order = read(faultSchema, body);
    const id = this.parts.faults.add({
      method: order.method,
      path: order.path,
      times: order.times ?? Number.POSITIVE_INFINITY,
      effect: order.effect ?? null,
      status: order.status ?? 500,
      message: order.message ?? "",
      delayMs: order.delayMs ?? 0,
      afterwards: order.afterwards ?? false,
    });
    return { id };
  }

  removeFault({ name }: ControlCall): unknown {
    if (!this.parts.faults.remove(name)) throw new ControlError(404, `there is no fault '${name}'`);
    return {};
  }

  clearFaults(): unknown {
    this.parts.faults.clear();
    return {};
  }

  failTasks({ body }: ControlCall): unknown {
    const { vmid, ...order } = read(taskFailureSchema, body);
    this.parts.platform.tasks.planFailure({ ...order, ...(vmid === undefined ? {} : { vmid }) });
    return {};
  }

  setSpeed({ body }: ControlCall): unknown {
    const { bytesPerSecond, timeFactor } = read(speedSchema, body);
    const { platform } = this.parts;
    if (bytesPerSecond !== undefined) platform.tasks.bytesPerSecond = bytesPerSecond;
    if (timeFactor !== undefined) platform.clock.timeFactor = timeFactor;
    return { bytesPerSecond: platform.tasks.bytesPerSecond, timeFactor: platform.clock.timeFactor };
  }

  changeNode({ name, body }: ControlCall): unknown {
    const node = this.#node(name);
    const order = read(nodeSchema, body);
    if (order.cpu !== undefined) node.cpuLoad = order.cpu;
    if (order.memUsedMb !== undefined) {
      node.memoryUsedBytes = order.memUsedMb === null ? null : Math.round(order.memUsedMb * mib);
    }
    if (order.version !== undefined) node.version = order.version;
    if (order.packages !== undefined) node.packages = order.packages;
    if (order.architecture !== undefined) node.architecture = order.architecture;
    if (order.online !== undefined) this.#setOnline(node, order.online);
    return {};
  }

  addGuest({ body }: ControlCall): unknown {
    const order = read(guestSchema, body);
    try {
      return describeGuest(placeGuest(this.parts.platform, planOf(order)));
    } catch (error) {
      throw new ControlError(409, error instanceof Error ? error.message : String(error));
    }
  }

  removeGuest({ name }: ControlCall): unknown {
    if (!removeGuest(this.parts.platform, Number(name))) throw new ControlError(404, `there is no guest ${name}`);
    return {};
  }

  setCounters({ name, body }: ControlCall): unknown {
    const guest = this.#guest(name);
    const { clock } = this.parts.platform;
    const given = read(countersSchema, body);
    if (guest.runtime === null) throw new ControlError(409, `guest ${name} does not run, so it counts nothing`);
    const known = guestCounters(guest, clock.now());
    guest.runtime.counters = {
      netin: given.netin ?? known.netin,
      netout: given.netout ?? known.netout,
      diskread: given.diskread ?? known.diskread,
      diskwrite: given.diskwrite ?? known.diskwrite,
      atMs: clock.now(),
    };
    return describeGuest(guest);
  }

  addBackup({ body }: ControlCall): unknown {
    try {
      return { volid: plantBackup(this.parts.platform, read(backupSchema, body)) };
    } catch (error) {
      if (error instanceof ControlError) throw error;
      throw new ControlError(409, error instanceof Error ? error.message : String(error));
    }
  }

  writeToConsole({ name, body }: ControlCall): unknown {
    const guest = this.#guest(name);
    return { connections: writeToTerminal(this.parts.platform.state, guest.vmid, read(consoleSchema, body).text) };
  }

  runCommand({ name, body }: ControlCall): unknown {
    const node = this.#node(name);
    const [program, , vmid] = read(shellSchema, body).command;
    if (!node.online) throw new ControlError(409, `node '${name}' is down`);
    unlock(this.parts.platform, name, { program, vmid: String(vmid) });
    return { exitCode: 0, output: "" };
  }

  setForwards({ name, body }: ControlCall): unknown {
    const node = this.#node(name);
    const { forwards } = read(forwardsSchema, body);
    if (!node.online) throw new ControlError(409, `node '${name}' is down`);
    this.#forwards.set(name, forwards);
    return {};
  }

  #node(name: string): SimulatedNode {
    const node = this.parts.platform.state.nodes.get(name);
    if (node === undefined) throw new ControlError(404, `there is no node '${name}'`);
    return node;
  }

  #guest(name: string): Guest {
    const guest = this.parts.platform.state.guests.get(Number(name));
    if (guest === undefined) throw new ControlError(404, `there is no guest ${name}`);
    return guest;
  }

  #setOnline(node: SimulatedNode, online: boolean): void {
    if (node.online === online) return;
    if (online) boot(this.parts.platform, node);
    else cutPower(this.parts.platform, node);
  }
}

function planOf(order: GuestOrder): GuestPlan {
  const tags = Array.isArray(order.tags) ? order.tags.join(";") : order.tags;
  const { lxc = [], ...values } = order.config;
  const { lines, others } = takeRawLines(values);
  return {
    ...order,
    rawLines: [...lxc, ...lines],
    config: {
      ...others,
      ...(tags === undefined ? {} : { tags }),
      ...(order.lock === undefined ? {} : { lock: order.lock }),
    },
    snapshots: order.snapshots.map((entry) => (typeof entry === "string" ? { name: entry, description: "" } : entry)),
  };
}

/** @throws ControlError 400 naming every field that does not fit */
function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new ControlError(400, problems.join("; "));
}
