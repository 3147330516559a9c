// Services with simulated hosts connected to them: what the inventory is tried on.
import type { Services } from "../../../src/context/context.js";
import type { Driver } from "../../../src/hypervisor/driver.js";
import { createHypervisors } from "../../../src/hypervisor/hypervisors.js";
import { proxmoxDriver } from "../../../src/hypervisor/proxmox/driver.js";
import type { HostConnection } from "../../../src/hypervisor/connection.js";
import type { ProxmoxClient } from "../../../src/hypervisor/proxmox/client.js";
import type { DriverOptions } from "../../../src/hypervisor/proxmox/options.js";
import { HOST_SECRET } from "../../../src/access/secretPurpose.js";
import { loadHostConnection } from "../../../src/actions/host/hostConnection.js";
import { syncHost, type SyncOptions } from "../../../src/inventory/syncHost.js";
import type { HostOptions, RunningHost } from "../../../simulator/host.js";
import { Cleanup, LONG_MS } from "../../hypervisor/support/driver.js";
import { startTestHost } from "../../support/platform.js";
import { planted } from "../../support/rows.js";
import {
  createTestServices,
  shiftableClock,
  type ShiftableClock,
  type TestParts,
  type TestServices,
} from "../../support/services.js";
import { control, type Control } from "./control.js";

export const SECRET = "aaaaaaaa-0000-4000-8000-000000000001";

/** Limits that no test reaches, unless it is about them; a host that failed is asked again at once, however long the failure took. */
const PATIENT: Partial<DriverOptions> = {
  isOpenAddress: () => true,
  connectMs: LONG_MS,
  callMs: LONG_MS,
  promptMs: LONG_MS,
  greetingMs: LONG_MS,
  answerPauseMs: LONG_MS,
  firstProbeMs: 0,
  longestProbeMs: 0,
};

/** A simulated host, and how it is known to the service. */
export interface ConnectedHost {
  readonly id: number;
  readonly host: RunningHost;
  readonly control: Control;
  sync(options?: SyncOptions): Promise<void>;
}

/** Services on a fresh database, with real connections to whatever hosts a test adds. */
export class Site {
  readonly services: TestServices;
  readonly clock: ShiftableClock;
  readonly #cleanup = new Cleanup();

  private constructor(services: TestServices, clock: ShiftableClock) {
    this.services = services;
    this.clock = clock;
    this.#cleanup.add(() => services.close());
  }

  /** @param around what stands between the service and the driver */
  static async open(
    settings: Partial<DriverOptions> = {},
    parts: TestParts = {},
    around = (driver: Driver<ProxmoxClient>): Driver<ProxmoxClient> => driver,
  ): Promise<Site> {
    const clock = shiftableClock();
    const services = await createTestServices({ clock, ...parts });
    const hypervisors = createHypervisors(
      (hostId) => loadHostConnection(services, hostId),
      around(proxmoxDriver({ ...PATIENT, repeatAfterMs: [20], firstPollMs: 5, longestPollMs: 50, ...settings })),
    );
    const site = new Site(Object.assign(services, { hypervisors }), clock);
    site.onClose(() => hypervisors.close());
    return site;
  }

  /** Has something ended with the site, before what was opened earlier. */
  onClose(close: () => Promise<unknown>): void {
    this.#cleanup.add(close);
  }

  close(): Promise<void> {
    return this.#cleanup.run();
  }

  /** Starts a simulated host. */
  async startHost(options: Partial<HostOptions> = {}): Promise<RunningHost> {
    const tokens = [{ id: "root@pam!panel", secret: SECRET }];
    const host = await startTestHost({ release: "8.4", tokens, timeFactor: 200, ...options });
    this.#cleanup.add(() => host.close());
    return host;
  }

  /** Starts a simulated host and puts it on record, unsynced. */
  async connect(options: Partial<HostOptions> = {}, record: Partial<HostConnection> = {}): Promise<ConnectedHost> {
    const host = await this.startHost(options);
    const id = await insertHost(this.services, { ...connectionOf(host), ...record }, host.name);
    return {
      id,
      host,
      control: control(host.control),
      sync: (how) => syncHost(this.services, id, how),
    };
  }

  /** Rows of one statement. */
  async rows<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.services.pool.query<Row>(sql, values)).rows;
  }

  /** The first row. */
  async row<Row extends object>(sql: string, ...values: unknown[]): Promise<Row | undefined> {
    return (await this.rows<Row>(sql, ...values))[0];
  }
}

/** How the service reaches a simulated host. */
export const connectionOf = (host: RunningHost): HostConnection => ({
  hostId: 0,
  name: "pvea",
  hostname: "127.0.0.1",
  port: host.port,
  user: "root@pam",
  credential: { kind: "token", tokenId: "panel", secret: SECRET },
  tlsFingerprint: host.fingerprint,
});

/** @returns its id */
export async function insertHost(services: Services, connection: HostConnection, name: string): Promise<number> {
  const { hostname, port, user, credential, tlsFingerprint } = connection;
  const secret = credential.kind === "token" ? credential.secret : credential.password;
  const { id } = await planted(services.pool, "host", {
    name,
    hostname,
    port,
    user_name: user,
    token_id: credential.kind === "token" ? credential.tokenId : null,
    secret_encrypted: services.secrets.seal(secret, HOST_SECRET),
    tls_fingerprint: tlsFingerprint ?? null,
  });
  return id;
}
