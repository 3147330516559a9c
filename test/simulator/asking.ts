// Makes platforms for tests and asks them the way a transport would.
import { callMethod } from "../../simulator/callMethod.js";
import { ApiError } from "../../simulator/api.js";
import type { ApiMethod, Identity } from "../../simulator/api.js";
import type { PlatformOptions } from "../../simulator/create.js";
import type { Platform } from "../../simulator/platform.js";
import { createPlatform } from "../../simulator/platform.js";
import { splitTokenId } from "../../simulator/state/access.js";
import { bridge } from "../../simulator/state/node.js";

/** What came back: an answer, or a refusal with its text. */
interface Reply {
  status: number;
  data?: unknown;
  total?: number;
  message?: string;
  errors?: Record<string, string>;
}

export const panel = "root@pam!panel";
export const ostemplate = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz";

/** A standalone node `pvea` with a template file and an ISO; tasks run a thousand times faster than life. */
export function standalone(options: Partial<PlatformOptions> = {}): Platform {
  return createPlatform({
    name: "pvea",
    release: "9.2",
    nodes: [{ name: "pvea", cpus: 4, network: [bridge("vmbr0"), bridge("vmbr1", { configured: false })] }],
    tokens: [{ id: panel, secret: "00000000-0000-4000-8000-000000000001" }],
    rootPassword: "root-password",
    timeFactor: 1000,
    volumes: [
      {
        node: "pvea",
        name: "vztmpl/debian-12-standard_12.7-1_amd64.tar.gz",
        content: "vztmpl",
        format: "tgz",
        size: 16_494,
      },
      { node: "pvea", name: "iso/rescue.iso", content: "iso", format: "iso", size: 358_400 },
    ],
    ...options,
  });
}

/** The identity behind `root@pam!panel` (a token) or `root@pam` (a ticket). */
function identity(label: string): Identity {
  const token = splitTokenId(label);
  return token === null
    ? { user: label, tokenId: null, label, ticket: true }
    : { user: token.user, tokenId: token.token, label, ticket: false };
}

/** Sends requests to one platform as one identity. */
export class Asker {
  constructor(
    readonly platform: Platform,
    private readonly label = panel,
    private readonly answeringNode?: string,
  ) {}

  as(label: string): Asker {
    return new Asker(this.platform, label, this.answeringNode);
  }

  at(node: string): Asker {
    return new Asker(this.platform, this.label, node);
  }

  /** `ask("PUT /nodes/pvea/qemu/100/config", { onboot: "1" })` */
  async ask(what: string, parameters: Record<string, unknown> = {}): Promise<Reply> {
    const [method = "", path = ""] = what.split(" ");
    try {
      const answer = await callMethod(this.platform, {
        method: asMethod(method),
        path,
        segments: decodeURIComponent(path)
          .split("/")
          .filter((segment) => segment !== ""),
        parameters,
        identity: identity(this.label),
        sourceAddress: "127.0.0.1",
        ...(this.answeringNode === undefined ? {} : { answeringNode: this.answeringNode }),
      });
      return { status: 200, ...answer };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, message, errors } = error;
      return { status, message, ...(errors === undefined ? {} : { errors }) };
    }
  }

  /** Data of a request that has to succeed. */
  async data(what: string, parameters: Record<string, unknown> = {}): Promise<unknown> {
    const reply = await this.ask(what, parameters);
    if (reply.status !== 200)
      throw new Error(`${what}: ${reply.status} ${reply.message} ${JSON.stringify(reply.errors)}`);
    return reply.data;
  }

  /** Data of a request that answers with an object. */
  async record(what: string, parameters: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const data = await this.data(what, parameters);
    if (!isRecord(data)) throw new Error(`${what} answered ${JSON.stringify(data)}`);
    return data;
  }

  /** Data of a request that answers with a list of objects. */
  async rows(what: string, parameters: Record<string, unknown> = {}): Promise<Record<string, unknown>[]> {
    const data = await this.data(what, parameters);
    if (!Array.isArray(data)) throw new Error(`${what} answered ${JSON.stringify(data)}`);
    return data.filter(isRecord);
  }

  /** Starts a task, waits for it and returns how it ended with its log. */
  async run(what: string, parameters: Record<string, unknown> = {}): Promise<{ exit: string; log: string[] }> {
    const upid = await this.data(what, parameters);
    if (typeof upid !== "string") throw new Error(`${what} answered ${JSON.stringify(upid)}, no UPID`);
    await this.platform.tasks.settled(upid);
    const task = this.platform.tasks.find(upid);
    return { exit: task?.exitstatus ?? "", log: task?.lines ?? [] };
  }

  /** A VM with a disk, a cloud-init drive and a network card. */
  async makeVm(vmid: number, parameters: Record<string, string> = {}): Promise<void> {
    const { exit } = await this.run("POST /nodes/pvea/qemu", {
      vmid: String(vmid),
      name: `vm${vmid}`,
      memory: "512",
      cores: "2",
      ostype: "l26",
      scsi0: "local:1,format=qcow2",
      ide2: "local:cloudinit",
      net0: "virtio,bridge=vmbr0",
      boot: "order=scsi0",
      ...parameters,
    });
    if (exit !== "OK") throw new Error(`VM ${vmid}: ${exit}`);
  }

  /** An unprivileged container with a root volume. */
  async makeContainer(vmid: number, parameters: Record<string, string> = {}): Promise<void> {
    const { exit } = await this.run("POST /nodes/pvea/lxc", {
      vmid: String(vmid),
      ostemplate,
      hostname: `ct${vmid}`,
      memory: "256",
      rootfs: "local:1",
      unprivileged: "1",
      net0: "name=eth0,bridge=vmbr0,ip=dhcp",
      ...parameters,
    });
    if (exit !== "OK") throw new Error(`CT ${vmid}: ${exit}`);
  }
}

function asMethod(method: string): ApiMethod {
  if (method === "GET" || method === "POST" || method === "PUT" || method === "DELETE") return method;
  throw new Error(`no method '${method}'`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
