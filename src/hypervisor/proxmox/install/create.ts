// Makes new guests: a VM as a full copy of a template, a container from a template file.
import type { ContainerRights } from "../../guestConfig.js";
import type { OwnerAccess } from "../../install.js";
import { isPlatformError, platformError, PlatformReason } from "../../platformError.js";
import type { Upid } from "../../task.js";
import type { Ask } from "../client.js";
import { apiPath, type ApiParameters } from "../path.js";
import { upid } from "../upid.js";

/** What every new guest is asked for with. */
interface CreateRequest {
  /** Node of the new guest; another than the template's needs the template on shared storage. */
  readonly node: string;
  readonly vmid: number;
  readonly storage: string;
  /** Null: none. */
  readonly pool: string | null;
  readonly description: string;
}

export interface CloneRequest extends CreateRequest {
  readonly template: { readonly node: string; readonly vmid: number };
  readonly name: string;
}

/** What a container is like from its creation on. */
export interface ContainerShape {
  readonly hostname: string;
  readonly cores: number;
  readonly memoryMb: number;
  /** Whole `net0` value; null: no network. */
  readonly network: string | null;
  readonly nameservers: readonly string[];
}

export interface ContainerRequest extends CreateRequest, ContainerRights, ContainerShape, OwnerAccess {
  /** Volume id of the template file, `local:vztmpl/…`. */
  readonly template: string;
  readonly diskGb: number;
}

/** The task runs on the template's node, also when the copy comes to be on another one. */
export async function cloneTemplate(ask: Ask, request: CloneRequest): Promise<Upid> {
  const { template, vmid, name, storage, description, node, pool } = request;
  const path = apiPath`/nodes/${template.node}/qemu/${template.vmid}/clone`;
  const target = node === template.node ? undefined : node;
  const parameters = { newid: vmid, name, full: true, storage, target, description, pool: pool ?? undefined };
  const { data } = await ask({ method: "POST", path, parameters });
  return upid(data, path);
}

export async function createContainer(ask: Ask, request: ContainerRequest): Promise<Upid> {
  const path = apiPath`/nodes/${request.node}/lxc`;
  try {
    const { data } = await ask({ method: "POST", path, parameters: containerParameters(request), reservesFirst: true });
    return upid(data, path);
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.NOT_STARTED)) throw error;
    const left = `the platform has left an empty, locked container ${request.vmid} on ${request.node}`;
    throw platformError(PlatformReason.REFUSED, `${error.message}: ${left}`, { place: error.place, cause: error });
  }
}

/**
 * `unprivileged` is always sent, since its default changed with 9.0; `nesting=0` never, which 7.x and 8.x refuse to API tokens, as
 * they do any other feature. Keys are plain here.
 */
function containerParameters(request: ContainerRequest): ApiParameters {
  const { nameservers, sshKeys, password } = request;
  return {
    vmid: request.vmid,
    hostname: request.hostname,
    ostemplate: request.template,
    rootfs: `${request.storage}:${request.diskGb}`,
    cores: request.cores,
    memory: request.memoryMb,
    net0: request.network ?? undefined,
    nameserver: nameservers.length > 0 ? nameservers.join(" ") : undefined,
    password: password ?? undefined,
    "ssh-public-keys": sshKeys.length > 0 ? sshKeys.map((key) => key.trim()).join("\n") : undefined,
    unprivileged: request.unprivileged,
    features: request.nesting ? "nesting=1" : undefined,
    pool: request.pool ?? undefined,
    onboot: true,
    start: false,
    description: request.description,
  };
}
