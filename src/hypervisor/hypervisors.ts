// Keeps one connection per host, replaces it when the host's record changes, and closes all of them at shutdown.
import { DroverError, notFound } from "../errors/errors.js";
import type { HostConnection } from "./connection.js";
import type { Driver, Link, ReachLink } from "./driver.js";
import type { Hypervisor, Hypervisors, WaitObserver } from "./hypervisor.js";

/** Reads a host's record and opens its secret; null when there is no such host. It may throw, for an inactive host say. */
export type LoadConnection = (hostId: number) => Promise<HostConnection | null>;

/** @param driver of the platform that the hosts run, chosen where the service is put together */
export const createHypervisors = <HostLink extends Link>(load: LoadConnection, driver: Driver<HostLink>): Hypervisors =>
  new Connections(load, driver);

class Connections<HostLink extends Link> implements Hypervisors {
  readonly #load: LoadConnection;
  readonly #driver: Driver<HostLink>;
  readonly #hosts = new Map<number, Hypervisor>();
  readonly #links = new Map<number, Promise<HostLink>>();
  readonly #closing = new Set<Promise<void>>();
  #ended = false;

  constructor(load: LoadConnection, driver: Driver<HostLink>) {
    this.#load = load;
    this.#driver = driver;
  }

  async of(hostId: number): Promise<Hypervisor> {
    await this.#link(hostId);
    const known = this.#hosts.get(hostId);
    if (known !== undefined) return known;
    const host = this.#driver.host(this.#reach(hostId));
    this.#hosts.set(hostId, host);
    return host;
  }

  async prompt(hostId: number): Promise<Hypervisor> {
    await this.#link(hostId);
    return this.#driver.prompt(this.#reach(hostId));
  }

  async patient(hostId: number, signal: AbortSignal, observer?: WaitObserver): Promise<Hypervisor> {
    await this.#link(hostId);
    return this.#driver.patient(this.#reach(hostId), signal, observer);
  }

  async once(hostId: number): Promise<Hypervisor> {
    await this.#link(hostId);
    return this.#driver.once(this.#reach(hostId));
  }

  connect(connection: HostConnection): Hypervisor & { close(): Promise<void> } {
    const link = this.#driver.open(connection, false);
    return { ...this.#driver.host((use) => use(link)), close: () => link.close() };
  }

  forget(hostId?: number): Promise<void> {
    for (const forgotten of hostId === undefined ? [...this.#links.keys()] : [hostId]) {
      const link = this.#links.get(forgotten);
      this.#links.delete(forgotten);
      if (link !== undefined) this.#closeLater(link);
    }
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.forget();
    await Promise.all(this.#closing);
  }

  /** A host that is held for long, by a job that waits for a task, goes on with the connection of the changed record. */
  #reach(hostId: number): ReachLink<HostLink> {
    return async (use) => {
      let link = await this.#link(hostId);
      while (link.closed) link = await this.#link(hostId);
      return use(link);
    };
  }

  /** A record that cannot be read now is read again at the next call. */
  #link(hostId: number): Promise<HostLink> {
    if (this.#ended) return Promise.reject(new DroverError("unavailable", "The service is shutting down"));
    const known = this.#links.get(hostId);
    if (known !== undefined) return known;
    const link = this.#open(hostId);
    this.#links.set(hostId, link);
    link.catch(() => {
      if (this.#links.get(hostId) === link) this.#links.delete(hostId);
    });
    return link;
  }

  async #open(hostId: number): Promise<HostLink> {
    const connection = await this.#load(hostId);
    if (connection === null) throw notFound(`Host ${hostId}`);
    return this.#driver.open(connection, true);
  }

  #closeLater(link: Promise<HostLink>): void {
    const closing = link.then(
      (opened) => opened.close(),
      () => undefined,
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }
}
