// Starts one simulated Proxmox VE host: platform, scenario, an HTTPS port for each node, and the control address.
import { callMethod } from "./callMethod.js";
import { connectConsole } from "./console/socket.js";
import { openControl } from "./control/server.js";
import { FaultBoard } from "./control/faults.js";
import type { NodeOptions, TokenOptions } from "./create.js";
import { acceptWebSocket } from "./migration/tunnelHost.js";
import { createPlatform } from "./platform.js";
import type { Platform } from "./platform.js";
import type { ScenarioName } from "./scenarios/scenarios.js";
import { scenarios } from "./scenarios/scenarios.js";
import type { HostCertificates, KeyedCertificate } from "./transport/certificates.js";
import { makeHostCertificates } from "./transport/certificates.js";
import type { NodeAddress } from "./transport/openPorts.js";
import { openPorts } from "./transport/openPorts.js";
import { RequestJournal } from "./transport/requestJournal.js";
import type { HostEndpoint } from "./transport/hostEndpoint.js";
import { transportTraits } from "./transport/traits.js";
import type { Release } from "./version.js";
import { releaseFacts } from "./version.js";

/** What a host is started with. */
export interface HostOptions {
  name: string;
  release: Release;
  /** Version of QEMU; left out: the release's own. */
  qemu?: string;
  /** Port on loopback, 0 (the default) for a free one. */
  port?: number;
  controlPort?: number;
  tokens?: TokenOptions[];
  rootPassword?: string;
  scenario?: ScenarioName;
  /** Left out: one node with the host's name. Several form a cluster. */
  nodes?: string[];
  /** How many times faster than life simulated work runs. */
  timeFactor?: number;
  /** Simulated time that a migration tunnel waits for its source, milliseconds. Left out: five minutes, as in life. */
  tunnelPatienceMs?: number;
  /** Simulated time that a stopped task has before it is killed, milliseconds. Left out: five seconds, as in life. */
  stopGraceMs?: number;
  /** Left out: fresh ones, as on a new installation. */
  certificates?: HostCertificates;
  /** Told of faults of the simulator itself. */
  reportFault?: (error: unknown) => void;
}

/** A running host. */
export interface RunningHost {
  name: string;
  /** Address of the first node. */
  url: string;
  port: number;
  fingerprint: string;
  /** Control address, plain HTTP. */
  control: string;
  nodes: NodeAddress[];
  platform: Platform;
  /** Closes the ports and ends all tasks, as a power cut does. */
  close(): Promise<void>;
}

/**
 * Starts a host.
 * @throws Error when a port cannot be bound
 */
export async function startHost(options: HostOptions): Promise<RunningHost> {
  const nodes = (options.nodes ?? [options.name]).map((name, index) => ({ name, address: loopbackAddress(index) }));
  const certificates = options.certificates ?? (await makeCertificates(nodes.map(({ name }) => name)));
  const authority = certificates.authority.certificate;
  const places = nodes.map((node) => ({ ...node, authority, certificate: certificateOf(node.name, certificates) }));
  const platform = furnishPlatform(options, places);
  const faults = new FaultBoard();
  const journal = new RequestJournal();
  const endpoint = makeEndpoint(options, { platform, faults, journal });
  const ports = await openPorts(places, options.port ?? 0, endpoint);
  const control = await openControl({ platform, faults, journal }, options.controlPort ?? 0);
  const [first] = ports.nodes;
  return {
    name: options.name,
    url: first.url,
    port: ports.port,
    fingerprint: first.fingerprint,
    control: control.url,
    nodes: ports.nodes,
    platform,
    close: async () => {
      for (const { name } of places) platform.tasks.killNode(name);
      await Promise.all([ports.close(), control.close()]);
    },
  };
}

interface Place {
  name: string;
  address: string;
  certificate: KeyedCertificate;
  /** Certificate of the host's own authority, PEM. */
  authority: string;
}

interface Parts {
  platform: Platform;
  faults: FaultBoard;
  journal: RequestJournal;
}

function furnishPlatform(options: HostOptions, places: Place[]): Platform {
  const scenario = scenarios[options.scenario ?? "empty"];
  const stage = { name: options.name, nodes: places.map((place) => place.name) };
  const described = scenario.platform(stage);
  const platform = createPlatform({
    ...described,
    name: options.name,
    release: options.release,
    nodes: described.nodes.map((node, index) => ({ ...node, ...identityOf(places[index]) })),
    tokens: options.tokens ?? [],
    ...(options.qemu === undefined ? {} : { qemu: options.qemu }),
    ...(options.rootPassword === undefined ? {} : { rootPassword: options.rootPassword }),
    ...(options.tunnelPatienceMs === undefined ? {} : { tunnelPatienceMs: options.tunnelPatienceMs }),
    ...(options.stopGraceMs === undefined ? {} : { stopGraceMs: options.stopGraceMs }),
    timeFactor: options.timeFactor ?? 1,
  });
  scenario.furnish(platform, stage);
  return platform;
}

function identityOf(place: Place | undefined): Partial<NodeOptions> {
  if (place === undefined) return {};
  const { address, authority, certificate } = place;
  return { address, authority, fingerprint: certificate.fingerprint, certificate: certificate.certificate };
}

function makeEndpoint(options: HostOptions, { platform, faults, journal }: Parts): HostEndpoint {
  return {
    backend: {
      traits: transportTraits(releaseFacts(options.release).version),
      verifier: platform.credentials,
      handle: (request) => callMethod(platform, request),
    },
    journal,
    connectSocket: (request) => acceptWebSocket(platform, request),
    connectConsole: (request, place) => connectConsole(platform, request, place),
    interfere: (method, paths) => faults.meet(method, paths),
    isOnline: (node) => platform.state.nodes.get(node)?.online ?? false,
    reportFault: options.reportFault ?? (() => {}),
  };
}

/** Makes certificates for a host with these nodes, for the addresses that it will have. */
export const makeCertificates = (nodes: readonly string[]): Promise<HostCertificates> =>
  makeHostCertificates(new Map(nodes.map((name, index) => [name, [loopbackAddress(index)]])));

function certificateOf(node: string, certificates: HostCertificates): KeyedCertificate {
  const certificate = certificates.nodes.get(node);
  if (certificate === undefined) throw new Error(`no certificate was made for node ${node}`);
  return certificate;
}

/** Members of a cluster get loopback addresses of their own, so that all of them can have the same port. */
function loopbackAddress(index: number): string {
  return `127.0.0.${index + 1}`;
}
