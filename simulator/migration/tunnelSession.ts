// The target's end of one migration tunnel: what it knows of the guest that is coming in.
import { randomUUID } from "node:crypto";
import type { Call } from "../route.js";
import type { Guest, GuestType } from "../state/guest.js";
import { configFile } from "../state/guest.js";
import { failure } from "../api.js";
import type { Worker } from "../tasks/worker.js";
import type { IncomingDisk } from "./incomingDisk.js";

/** Everything about one tunnel. */
export class TunnelSession {
  /** Tickets by the socket that they open. */
  readonly #tickets = new Map<string, string>();
  /** Sockets that a ticket may be asked for. */
  readonly sockets = new Set<string>();
  /** Volumes that a failed migration leaves to be freed. */
  readonly volumes = new Set<string>();
  /** Drive string of each volume made for a live mirror. */
  readonly mirrors = new Map<string, string>();
  /** Lock that the guest must have while commands are handled; null once unlocked. */
  lock: "create" | "migrate" | null = "create";
  disk: IncomingDisk | null = null;
  exiting = false;

  #task: Worker | null = null;

  constructor(
    /** The call that asked for the tunnel, and whose identity everything is done with. */
    readonly call: Call,
    readonly guest: Pick<Guest, "type" | "vmid" | "node">,
  ) {
    this.sockets.add(this.controlSocket);
  }

  /** The tunnel's own task, which everything is logged to. */
  get task(): Worker {
    if (this.#task === null) throw new Error("the tunnel's task has not begun");
    return this.#task;
  }

  begin(task: Worker): void {
    this.#task = task;
  }

  get controlSocket(): string {
    return socketPath(this.guest.type, this.guest.vmid, "mtunnel");
  }

  get diskSocket(): string {
    return socketPath(this.guest.type, this.guest.vmid, "storage");
  }

  issueTicket(socket: string): string {
    const ticket = `PVETUNNEL:${randomUUID()}`;
    this.#tickets.set(socket, ticket);
    return ticket;
  }

  isTicket(socket: string, ticket: string): boolean {
    return this.#tickets.get(socket) === ticket;
  }

  /** Volumes that came through this tunnel; an import that its source gave up in order has ended too by the time this is asked. */
  ownVolumes(): string[] {
    return [...this.volumes, ...(this.disk === null || this.disk.volid === "" ? [] : [this.disk.volid])];
  }

  /**
   * The guest as it is now.
   * @throws ApiError when it is gone or has lost the tunnel's lock
   */
  current(): Guest {
    const { type, vmid, node } = this.guest;
    const guest = this.call.platform.state.guests.get(vmid);
    if (guest === undefined || guest.type !== type) {
      throw failure(`Configuration file '${configFile(type, vmid, node)}' does not exist`);
    }
    if (this.lock !== null && guest.config.lock !== this.lock)
      throw failure("Encountered wrong lock - aborting mtunnel command handling.");
    return guest;
  }
}

function socketPath(type: GuestType, vmid: number, kind: string): string {
  return type === "qemu" ? `/run/qemu-server/${vmid}.${kind}` : `/run/pve/ct-${vmid}.${kind}`;
}
