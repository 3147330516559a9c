// Keeps one connection per host, replaces it when the host's record changes, and closes all of them at shutdown.
import { DroverError, notFound } from "../errors/errors.js";
import type { HostConnection } from "./connection.js";
import type { Hypervisor, Hypervisors, WaitObserver } from "./hypervisor.js";
import { isPlatformError, PlatformReason } from "./platformError.js";
import { askOnce } from "./proxmox/askOnce.js";
import { ProxmoxClient, type Ask } from "./proxmox/client.js";
import { proxmoxHost } from "./proxmox/host.js";
import { patientAsk } from "./proxmox/patientAsk.js";
import { driverOptions, type DriverOptions } from "./proxmox/options.js";

/** Reads a host's record and opens its secret; null when there is no such host. It may throw, for an inactive host say. */
export type LoadConnection = (hostId: number) => Promise<HostConnection | null>;

/** @param settings what differs from the driver's usual time limits. */
export function createHypervisors(load: LoadConnection, settings: Partial<DriverOptions> = {}): Hypervisors {
  return new Connections(load, driverOptions(settings));
}

class Connections implements Hypervisors {
  readonly #load: LoadConnection;
  readonly #options: DriverOptions;
  readonly #hosts = new Map<number, Hypervisor>();
  readonly #clients = new Map<number, Promise<ProxmoxClient>>();
  readonly #closing = new Set<Promise<void>>();
  #ended = false;

  constructor(load: LoadConnection, options: DriverOptions) {
    this.#load = load;
    this.#options = options;
  }

  async of(hostId: number): Promise<Hypervisor> {
    await this.#client(hostId);
    const known = this.#hosts.get(hostId);
    if (known !== undefined) return known;
    const host = proxmoxHost(this.#asker(hostId), this.#options);
    this.#hosts.set(hostId, host);
    return host;
  }

  async prompt(hostId: number): Promise<Hypervisor> {
    await this.#client(hostId);
    const ask = this.#asker(hostId);
    const deadline = performance.now() + this.#options.promptMs;
    const withinMs = (): number => Math.max(1, deadline - performance.now());
    return proxmoxHost((call) => ask({ ...call, withinMs: withinMs() }), this.#options);
  }

  async patient(hostId: number, signal: AbortSignal, observer?: WaitObserver): Promise<Hypervisor> {
    await this.#client(hostId);
    const { patienceMs } = this.#options;
    return proxmoxHost(patientAsk(this.#asker(hostId), { patienceMs, signal, observer }), this.#options);
  }

  async once(hostId: number): Promise<Hypervisor> {
    await this.#client(hostId);
    const ask = this.#asker(hostId);
    await this.#greet(ask);
    return proxmoxHost(askOnce(ask), this.#options);
  }

  /** What else is wrong with a host, each question tells. @throws DroverError platform `PLATFORM_UNREACHABLE` */
  async #greet(ask: Ask): Promise<void> {
    const { greetingMs } = this.#options;
    try {
      await proxmoxHost((call) => ask({ ...call, withinMs: greetingMs }), this.#options).version();
    } catch (error) {
      if (isPlatformError(error, PlatformReason.UNREACHABLE)) throw error;
    }
  }

  connect(connection: HostConnection): Hypervisor & { close(): Promise<void> } {
    const client = new ProxmoxClient(connection, this.#options);
    return { ...proxmoxHost((call) => client.ask(call), this.#options), close: () => client.close() };
  }

  forget(hostId?: number): Promise<void> {
    for (const forgotten of hostId === undefined ? [...this.#clients.keys()] : [hostId]) {
      const client = this.#clients.get(forgotten);
      this.#clients.delete(forgotten);
      if (client !== undefined) this.#closeLater(client);
    }
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.forget();
    await Promise.all(this.#closing);
  }

  /** A host that is held for long, by a job that waits for a task, goes on with the connection of the changed record. */
  #asker(hostId: number): Ask {
    return async (call) => {
      let client = await this.#client(hostId);
      while (client.closed) client = await this.#client(hostId);
      return client.ask(call);
    };
  }

  /** A record that cannot be read now is read again at the next call. */
  #client(hostId: number): Promise<ProxmoxClient> {
    if (this.#ended) return Promise.reject(new DroverError("unavailable", "The service is shutting down"));
    const known = this.#clients.get(hostId);
    if (known !== undefined) return known;
    const client = this.#open(hostId);
    this.#clients.set(hostId, client);
    client.catch(() => {
      if (this.#clients.get(hostId) === client) this.#clients.delete(hostId);
    });
    return client;
  }

  async #open(hostId: number): Promise<ProxmoxClient> {
    const connection = await this.#load(hostId);
    if (connection === null) throw notFound(`Host ${hostId}`);
    return new ProxmoxClient(connection, this.#options);
  }

  #closeLater(client: Promise<ProxmoxClient>): void {
    const closing = client.then(
      (opened) => opened.close(),
      () => undefined,
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }
}
