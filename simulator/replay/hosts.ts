// Starts the two hosts of a replayed run and looks into them.
import { randomUUID } from "node:crypto";
import { digestOf } from "../guests/digest.js";
import type { RunningHost } from "../host.js";
import { startHost } from "../host.js";
import type { Release } from "../version.js";
import type { Hosts } from "./pace.js";
import { isObject } from "./placeholders.js";
import type { Placeholders } from "./placeholders.js";
import type { Exchange, Run } from "./recording.js";
import { hostsOf, qemuOf } from "./recording.js";
import { startedTask } from "./evidence.js";
import { send } from "./send.js";

const rootPassword = "replayed-Root-1";
/** Placeholders of the recording, by position of the host. */
const secrets = ["aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000001"];
const fingerprints = ["A1", "B2"].map((pair) => Array.from({ length: 32 }, () => pair).join(":"));
const ports = ["18006", "18007"];
const tokenId = "root@pam!panel";

/** The hosts of a run, by name. */
export class ReplayHosts implements Hosts {
  private constructor(
    readonly byName: ReadonlyMap<string, RunningHost>,
    /** Secret of the token that every host starts with. */
    readonly panelSecrets: ReadonlyMap<string, string>,
    private readonly placeholders: Placeholders,
  ) {}

  /** Starts fresh hosts like those of the run and tells the placeholders what the recording calls them. */
  static async start(run: Run, release: Release, placeholders: Placeholders): Promise<ReplayHosts> {
    const names = hostsOf(run);
    const qemu = qemuOf(run);
    const panelSecrets = new Map(names.map((name) => [name, randomUUID()]));
    const hosts = await Promise.all(
      names.map((name) =>
        startHost({
          name,
          release,
          ...(qemu === null ? {} : { qemu }),
          rootPassword,
          tokens: [{ id: tokenId, secret: panelSecrets.get(name) ?? "" }],
          // Faults of the simulator show as answers that disagree; their stack is needed to mend them.
          reportFault: (error) => process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`),
        }),
      ),
    );
    for (const [index, host] of hosts.entries()) {
      placeholders.set(secrets[index] ?? "", panelSecrets.get(host.name) ?? "");
      placeholders.set(fingerprints[index] ?? "", host.fingerprint);
      placeholders.set(ports[index] ?? "", String(host.port));
    }
    return new ReplayHosts(new Map(hosts.map((host) => [host.name, host])), panelSecrets, placeholders);
  }

  /** @throws Error when the recording names a host that was not started */
  host(name: string): RunningHost {
    const host = this.byName.get(name);
    if (host === undefined) throw new Error(`the recording asks a host '${name}' that is not replayed`);
    return host;
  }

  setTimeFactor(factor: number): void {
    for (const { platform } of this.byName.values()) platform.clock.timeFactor = factor;
  }

  /** Digest of the guest in the path of a request. */
  digestOf({ host, path }: Exchange): string | null {
    const vmid = /\/(?:qemu|lxc)\/(\d+)(?:\/|$)/.exec(path)?.[1];
    const guest = this.host(host).platform.state.guests.get(Number(vmid));
    return guest === undefined ? null : digestOf(guest);
  }

  hasEnded(startedBy: Exchange): boolean {
    return this.#isOver(this.placeholders.ours(startedTask(startedBy) ?? ""));
  }

  namedTaskHasEnded(exchange: Exchange): boolean {
    const upid = /UPID(?:%3A|:)[^/]+/i.exec(exchange.path)?.[0] ?? "";
    return this.#isOver(this.placeholders.ours(decodeURIComponent(upid)));
  }

  /** Logs in a user whose login is not part of the recording. */
  async logIn(name: string, user: string): Promise<{ ticket: string; csrf: string }> {
    const body = `username=${encodeURIComponent(user)}&password=${rootPassword}`;
    const headers = { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": String(body.length) };
    const { port } = this.host(name);
    const answer = await send({ port, method: "POST", path: "/api2/json/access/ticket", headers, body });
    const data = isObject(answer.body) && isObject(answer.body.data) ? answer.body.data : {};
    return { ticket: String(data.ticket), csrf: String(data.CSRFPreventionToken) };
  }

  async close(): Promise<void> {
    await Promise.all([...this.byName.values()].map((host) => host.close()));
  }

  #isOver(upid: string | undefined): boolean {
    if (upid === undefined) return true;
    const tasks = [...this.byName.values()].map(({ platform }) => platform.tasks.find(upid));
    return tasks.every((task) => task === null || task.exitstatus !== null);
  }
}
