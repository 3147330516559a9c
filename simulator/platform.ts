// Assembles a simulated Proxmox VE platform (a standalone node or a cluster) and answers its API calls.
import { Credentials } from "./access/credentials.js";
import { Permissions } from "./access/permissions.js";
import type { ApiAnswer, ApiRequest, Identity } from "./api.js";
import { ApiError, failure, parameterError, permissionError } from "./api.js";
import { SimulatedClock } from "./clock.js";
import type { PlatformOptions } from "./create.js";
import { createState } from "./create.js";
import { checkParameters } from "./parameters/parameters.js";
import { perlText } from "./parameters/check.js";
import type { Match } from "./router.js";
import { Router } from "./router.js";
import { routes } from "./routes.js";
import { superuser } from "./state/access.js";
import { GuestLocks } from "./state/guestLocks.js";
import type { PlatformState } from "./state/platform.js";
import { TaskEngine } from "./tasks/engine.js";
import type { Release } from "./version.js";
import { releaseFacts } from "./version.js";

/** The platform: its state, its clocks and its API. */
export class Platform {
  readonly release: Release;
  /** Version of QEMU on every node. */
  readonly qemu: string;
  readonly name: string;
  readonly clock: SimulatedClock;
  readonly state: PlatformState;
  readonly tasks: TaskEngine;
  readonly locks: GuestLocks;
  readonly credentials: Credentials;
  readonly permissions: Permissions;
  readonly tunnelPatienceMs: number;
  readonly #router: Router;

  constructor(options: PlatformOptions) {
    this.release = options.release;
    this.qemu = options.qemu ?? releaseFacts(options.release).qemu;
    this.name = options.name;
    this.clock = new SimulatedClock(options.timeFactor);
    this.state = createState(options, this.clock.now());
    this.tasks = new TaskEngine(this.clock, { bytesPerSecond: options.bytesPerSecond ?? 200 * 1024 ** 2 });
    this.locks = new GuestLocks(this.clock);
    this.credentials = new Credentials(this.state.access, this.clock, this.release);
    this.permissions = new Permissions(this.state.access);
    this.tunnelPatienceMs = options.tunnelPatienceMs ?? 300_000;
    this.#router = new Router(routes, this.release);
  }

  /** First member: the one asked when a request names none. */
  get firstNode(): string {
    const [first] = this.state.nodes.keys();
    if (first === undefined) throw new Error("a platform has at least one node");
    return first;
  }

  /**
   * Answers one API call: route, permission, parameters, then the method itself.
   * @throws ApiError for every refusal
   */
  async handle(request: ApiRequest): Promise<ApiAnswer> {
    const match = this.#router.find(request.method, request.segments);
    if (match === null) throw new ApiError(501, `Method '${request.method} ${request.path}' not implemented`);
    const raw = mergePath(request.parameters, match.pathParameters);
    this.#authorize(request.identity, match, raw);
    this.#reachNode(match);
    const parameters = checkParameters(raw, match.table);
    return match.route.handle({
      platform: this,
      identity: request.identity ?? nobody,
      parameters,
      answeringNode: request.answeringNode ?? this.firstNode,
      sourceAddress: request.sourceAddress,
    });
  }

  #authorize(identity: Identity | null, { route }: Match, raw: Record<string, unknown>): void {
    if (route.requires === "world") return;
    if (identity === null) throw permissionError("user != null");
    if (identity.label !== superuser) {
      const parameters = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, perlText(value)]));
      route.requires({ permissions: this.permissions, state: this.state.access, label: identity.label, parameters });
    }
    if (route.tokensAllowed === false && identity.tokenId !== null)
      throw permissionError(`URI '${route.path}' not available with API token, need proper ticket.`);
  }

  /** A call for another member is handed to it; that fails when there is none or it is down. */
  #reachNode({ route, pathParameters }: Match): void {
    const name = pathParameters.node;
    if (name === undefined || route.proxied === false || name === "localhost") return;
    const node = this.state.nodes.get(name);
    if (node === undefined)
      throw failure(
        `hostname lookup '${name}' failed - failed to get address info for: ${name}: Temporary failure in name resolution`,
      );
    if (!node.online) throw new ApiError(595, "No route to host");
  }
}

const nobody: Identity = { user: "", tokenId: null, label: "", ticket: false };

function mergePath(
  parameters: Readonly<Record<string, unknown>>,
  pathParameters: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...pathParameters };
  for (const [name, value] of Object.entries(parameters)) {
    if (name === "_dc") continue;
    const inPath = pathParameters[name];
    if (inPath !== undefined && inPath !== perlText(value))
      throw parameterError({ [name]: "duplicate parameter (already defined in URI) with conflicting values!" });
    merged[name] = value;
  }
  return merged;
}

/** Makes a platform from its description. */
export function createPlatform(options: PlatformOptions): Platform {
  return new Platform(options);
}
