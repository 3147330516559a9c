// Starts a source and a target host and moves guests between them.
import type { HostOptions, RunningHost } from "../../../simulator/host.js";
import { startSimulatedHost } from "../../support/host.js";
import type { GuestPlan } from "../../../simulator/scenarios/placeGuest.js";
import { placeGuest } from "../../../simulator/scenarios/placeGuest.js";
import type { Guest } from "../../../simulator/state/guest.js";
import type { Task } from "../../../simulator/state/task.js";
import type { RawAnswer } from "../transport/rawRequest.js";
import { form, rawRequest, tokenHeader } from "../transport/rawRequest.js";
import { until } from "../../support/until.js";

const secret = "11111111-2222-4333-8444-555555555555";
export const mib = 1024 ** 2;

/** Two hosts and what is done with them. */
export class Pair {
  private constructor(
    readonly source: RunningHost,
    readonly target: RunningHost,
  ) {}

  static async start(options: Partial<Record<"source" | "target", Partial<HostOptions>>> = {}): Promise<Pair> {
    const common = {
      release: "9.2" as const,
      tokens: [{ id: "root@pam!panel", secret }],
      timeFactor: 200,
      // Hosts talk to each other at the pace of the machine, however fast their clocks run.
      tunnelPatienceMs: 24 * 3_600_000,
      stopGraceMs: 24 * 3_600_000,
    };
    const [source, target] = await Promise.all([
      startSimulatedHost({ name: "pvea", ...common, ...options.source }),
      startSimulatedHost({ name: "pveb", ...common, ...options.target }),
    ]);
    return new Pair(source, target);
  }

  async close(): Promise<void> {
    await Promise.all([this.source.close(), this.target.close()]);
  }

  place(plan: Partial<GuestPlan> & Pick<GuestPlan, "type" | "vmid">): Guest {
    return placeGuest(this.source.platform, {
      node: "pvea",
      name: `guest${plan.vmid}`,
      status: "stopped",
      memory: 128,
      cores: 1,
      diskGb: 0.25,
      config: {},
      snapshots: [],
      ...plan,
    });
  }

  /** The text of `target-endpoint`. */
  endpoint(changes: { token?: string; port?: number; fingerprint?: string } = {}): string {
    const token = changes.token ?? `PVEAPIToken=root@pam!panel=${secret}`;
    const fingerprint = changes.fingerprint ?? this.target.fingerprint;
    return `apitoken=${token},host=127.0.0.1,port=${changes.port ?? this.target.port},fingerprint=${fingerprint}`;
  }

  /** Asks the source to move a guest to VMID + 100. */
  ask(guest: Guest, parameters: Record<string, string> = {}): Promise<RawAnswer> {
    const { headers, body } = form({
      "target-endpoint": this.endpoint(),
      "target-storage": "local:local",
      "target-bridge": "vmbr0:vmbr1",
      "target-vmid": String(guest.vmid + 100),
      ...parameters,
    });
    return rawRequest(this.source.url, {
      method: "POST",
      path: `/api2/json/nodes/pvea/${guest.type}/${guest.vmid}/remote_migrate`,
      headers: { ...headers, ...tokenHeader(secret) },
      body,
    });
  }

  /** Asks the target a question. */
  askTarget(path: string): Promise<RawAnswer> {
    return rawRequest(this.target.url, { method: "GET", path: `/api2/json${path}`, headers: tokenHeader(secret) });
  }

  /** Starts a move that is not refused at once and gives its task. */
  async begin(guest: Guest, parameters: Record<string, string> = {}): Promise<Task> {
    const answer = await this.ask(guest, parameters);
    const upid: unknown = JSON.parse(answer.text).data;
    const task = typeof upid === "string" ? this.source.platform.tasks.find(upid) : null;
    if (task === null) throw new Error(`${answer.status} ${answer.reason}`);
    return task;
  }

  /** Moves a guest and waits until both tasks have ended. */
  async move(guest: Guest, parameters: Record<string, string> = {}): Promise<{ task: Task; tunnel: Task | null }> {
    const task = await this.begin(guest, parameters);
    await this.source.platform.tasks.settled(task.upid);
    const tunnel = this.tunnelOf(guest);
    if (tunnel !== null) await this.target.platform.tasks.settled(tunnel.upid);
    return { task, tunnel };
  }

  /** The last tunnel that was opened for a guest. */
  tunnelOf(guest: Guest): Task | null {
    const { tasks } = this.target.platform;
    const id = String(guest.vmid + 100);
    return (
      [...tasks.active(), ...tasks.archive()].find((task) => task.id === id && task.type.endsWith("mtunnel")) ?? null
    );
  }

  targetGuest(guest: Guest): Guest | undefined {
    return this.target.platform.state.guests.get(guest.vmid + 100);
  }
}

/** Waits until the log of a task has a line like this. */
export async function untilLogged(task: Task, line: RegExp): Promise<void> {
  await until(`${String(line)} is in the log of ${task.upid}`, () => task.lines.some((text) => line.test(text)));
}

/** Log lines without times and figures, progress folded into one line. */
export function plainLog(task: Task): string[] {
  const lines = task.lines.map((line) =>
    line
      .replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d /, "")
      .replace(/^\d+ bytes \(.*copied.*/, "<copied>")
      .replace(/ \d+ bytes \(.*copied.*/, " <copied>")
      .replace(/'UPID:[^']*'/, "<UPID>")
      .replace(/duration \d\d:\d\d:\d\d/, "duration"),
  );
  return lines.filter((line, index) => line !== "<copied>" || lines[index - 1] !== "<copied>");
}
