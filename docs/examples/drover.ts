// Client of Drover's REST v1 for whatever has fetch: Node.js 18 and newer, Deno, Bun. Written from the OpenAPI document, not by hand.
/* oxlint-disable max-lines -- one file, to be copied into other projects */

/** The program on a node that reports to the service. */
export interface Agent {
  /** Version of the agent; null until it has reported. */
  readonly version: string | null;
  /** Whether its last heartbeat is at most 180 seconds old and its version is one that the service accepts. */
  readonly current: boolean;
  /** Whether it reported itself healthy. */
  readonly healthy: boolean;
  /** Its last heartbeat. */
  readonly last_seen_at: string | null;
}

/** A user that was just made. */
export interface CreatedUser {
  /** Id. */
  readonly id: number;
  /** E-mail address, unique. */
  readonly email: string;
  /** Login name, unique. */
  readonly username: string;
  /** Id that the caller's own system gave the user. */
  readonly user_id: string | null;
  /** Guests that the user owns and the caller may see. */
  readonly guest_count: number;
  /** When the user was made. */
  readonly created_at: string;
  /** Generated password. Shown once. */
  readonly password: string;
}

/** A managed library entry (id set) or a template file of a node (id null). */
export interface CtTemplate {
  /** Id in the managed library; null for a file of a node. */
  readonly id: number | null;
  /** Display name; of a file, its name. */
  readonly name: string;
  /** Volume id on the platform, such as `local:vztmpl/debian-12….tar.zst`. */
  readonly volid: string;
  /** Name of the node that has the file; null for a library entry. */
  readonly node: string | null;
  /** Name of the storage that holds the file. */
  readonly storage: string | null;
  /** Size of the file, bytes; null when no node shows it. */
  readonly size_bytes: number | null;
  /** Whether it is an entry of the managed library. */
  readonly managed: boolean;
}

/** A node that cannot get the guest. */
export interface DroppedNode {
  /** Id of the host. */
  readonly host_id: number;
  /** Name of the node. */
  readonly node: string;
  /** Stable code, such as `NODE_OFFLINE`. */
  readonly code: string;
  /** Why, with the numbers, for people. */
  readonly reason: string;
}

/** A virtual machine or a container. */
export interface Guest {
  /** Virtual machine or container. */
  readonly type: "qemu" | "lxc";
  /** Id on the platform, unique on the host. */
  readonly vmid: number;
  /** Name of the node that it is on. */
  readonly node: string;
  /** Name. */
  readonly name: string;
  /** Id of its host. */
  readonly host_id: number;
  /** What it is doing, as last observed. */
  readonly status: "running" | "stopped" | "paused" | "suspended" | "unknown";
  /** Whether it is a template: it never runs, guests are cloned from it. */
  readonly template: boolean;
  /** The platform's lock, such as `backup` or `migrate`. */
  readonly lock: string | null;
  /** Tags on the platform. */
  readonly tags: readonly string[];
  /** CPU cores. */
  readonly cores: number;
  /** Configured RAM, MiB. */
  readonly memory_mb: number;
  /** Configured disk, GiB. */
  readonly disk_gb: number;
  /** CPU in use, fraction 0..1 of its own cores; null unless it runs. */
  readonly cpu_usage: number | null;
  /** RAM in use, MiB; null unless it runs. */
  readonly memory_used_mb: number | null;
  /** Seconds since it started; null unless it runs. */
  readonly uptime_seconds: number | null;
  /** Id of the user who owns it. */
  readonly owner_id: number | null;
  /** Id of its plan. */
  readonly plan_id: number | null;
  /** Addresses from IP zones and addresses that its configuration sets. */
  readonly ip_addresses: readonly string[];
  /** Whether it is the stopped original that a migration left. */
  readonly safety_copy: boolean;
  /** When the safety copy is deleted. */
  readonly safety_copy_delete_at: string | null;
  /** When the platform last showed it. */
  readonly last_seen_at: string | null;
}

/** A connected Proxmox VE host: one standalone node or one cluster. */
export interface Host {
  /** Id in the service. */
  readonly id: number;
  /** Display name. */
  readonly name: string;
  /** Address of the host. */
  readonly hostname: string;
  /** TCP port of the platform's API. */
  readonly port: number;
  /** Login user of the connection with its realm, such as `root@pam`. */
  readonly user: string;
  /** Whether the service uses this connection. */
  readonly active: boolean;
}

/** A task of the platform, as its node tells it now. */
export interface HypervisorTask {
  /** Id of the task on the platform. */
  readonly upid: string;
  /** Name of the node that runs it. */
  readonly node: string;
  /** Type on the platform, such as `qmstart`. */
  readonly type: string;
  /** What it works on, such as a VMID. */
  readonly target_id: string | null;
  /** Who started it. */
  readonly user: string;
  /** `running` or `stopped`. */
  readonly status: string;
  /** `OK`, `WARNINGS: n` or the error; null while it runs. */
  readonly exit_status: string | null;
  /** When it started. */
  readonly started_at: string;
  /** When it ended. */
  readonly ended_at: string | null;
}

/** Addresses of one network of a host that guests are given. */
export interface IpZone {
  /** Id. */
  readonly id: number;
  /** Reference for the creation of guests, `zone:<id>`. */
  readonly ref: string;
  /** Name, unique on the host. */
  readonly name: string;
  /** The network, such as `192.0.2.0/24`. */
  readonly cidr: string;
  /** 4 or 6. */
  readonly family: number;
  /** Gateway that guests are told. */
  readonly gateway: string | null;
  /** Bridge that guests are connected to. */
  readonly bridge: string;
  /** VLAN tag, 1 to 4094; null: none. */
  readonly vlan: number | null;
  /** Name servers that guests are told. */
  readonly nameservers: readonly string[];
  /** Addresses that can be given out; more than 2^53 - 1 counts as that. */
  readonly total: number;
  /** Addresses in use or reserved. */
  readonly used: number;
  /** Addresses that are left. */
  readonly free: number;
}

/** Long work that a worker does. */
export interface Job {
  /** Id. */
  readonly id: number;
  /** What it does. */
  readonly kind:
    | "guest_create"
    | "guest_reinstall"
    | "guest_delete"
    | "migration"
    | "evacuation"
    | "balance_run"
    | "safety_copy_delete";
  /** How far it is. */
  readonly status: "queued" | "running" | "done" | "failed";
  /** The reason, when it failed; of a move only for those who may see both of its ends. */
  readonly error: string | null;
  /** Id of the host that it works on. */
  readonly host_id: number | null;
  /** Name of the node that it works on. */
  readonly node: string | null;
  /** VMID of its guest. */
  readonly vmid: number | null;
  /** Work done, fraction 0..1; null when not known. */
  readonly progress: number | null;
  /** The step that it is at. */
  readonly step: string | null;
  /** When it was queued. */
  readonly created_at: string;
  /** When a worker first took it. */
  readonly started_at: string | null;
  /** When it was done or failed. */
  readonly finished_at: string | null;
}

/** A bridge or another network of one node. */
export interface Network {
  /** Name, such as `vmbr0`. */
  readonly name: string;
  /** Name of the node. */
  readonly node: string;
  /** Type on the platform, such as `bridge`. */
  readonly type: string;
  /** Whether it is up. */
  readonly active: boolean;
  /** Address and prefix length of the node on it. */
  readonly cidr: string | null;
}

/** One machine of a host; its name is unique on the host. */
export interface Node {
  /** Id of its host. */
  readonly host_id: number;
  /** Name, a DNS label. */
  readonly name: string;
  /** Whether it answered at the last sync. */
  readonly status: "online" | "offline" | "unknown";
  /** Whether its host is in maintenance. */
  readonly maintenance: boolean;
  /** CPU threads. */
  readonly cpu_cores: number;
  /** CPU in use at the last sync, fraction 0..1 of the whole node. */
  readonly cpu_usage: number;
  /** Average CPU of the last 30 minutes, fraction 0..1; null without a sample in them. */
  readonly cpu_average_30m: number | null;
  /** RAM of the node, MiB. */
  readonly memory_mb: number;
  /** RAM in use, MiB. */
  readonly memory_used_mb: number;
  /** Guests on the node that the caller may see, safety copies not counted. */
  readonly guest_count: number;
  /** Proxmox VE version of the node. */
  readonly version: string | null;
  /** Seconds since the node started; null while it is away. */
  readonly uptime_seconds: number | null;
  /** The agent; null when none was ever set up. */
  readonly agent: Agent | null;
}

/** A QEMU template that virtual machines are cloned from. */
export interface OsTemplate {
  /** Id. */
  readonly id: number;
  /** Reference for the creation of guests, `tpl:<id>`. */
  readonly ref: string;
  /** Display name. */
  readonly name: string;
  /** Name of the node that it is on. */
  readonly node: string;
  /** VMID of the template. */
  readonly vmid: number;
  /** Size of its disk, GiB: guests need at least this much. */
  readonly min_disk_gb: number;
}

/** Where in a list a page stands. */
export interface PageMeta {
  /** This page, from 1. */
  readonly page: number;
  /** Records a page, at most 200. */
  readonly perPage: number;
  /** Records in all pages. */
  readonly total: number;
}

/** The node and storage that were chosen for a guest. */
export interface PlacementChoice {
  /** Id of the host. */
  readonly host_id: number;
  /** Name of the node. */
  readonly node: string;
  /** Name of the storage for the guest's disk. */
  readonly storage: string;
  /** Why this node, for people. */
  readonly explanation: string;
}

/** Where a guest would be placed, and why nowhere else. */
export interface PlacementResult {
  /** The best node; null when none is eligible. */
  readonly best: RankedNode | null;
  /** Every eligible node, best first. */
  readonly ranked: readonly RankedNode[];
  /** Every other node in the viewer's scope. */
  readonly dropped: readonly DroppedNode[];
}

/** A size in which guests are offered. */
export interface Plan {
  /** Id. */
  readonly id: number;
  /** Unique name. */
  readonly name: string;
  /** CPU cores. */
  readonly cores: number;
  /** RAM, MiB. */
  readonly memory_mb: number;
  /** Disk, GiB. */
  readonly disk_gb: number;
  /** Traffic a month, GiB; null: unlimited. */
  readonly traffic_gb: number | null;
  /** Days that a guest runs; null: unlimited. */
  readonly runtime_days: number | null;
}

/** A power action that the platform has begun. */
export interface PowerResult {
  /** Id of the platform's task. */
  readonly upid: string;
}

/** A guest whose creation was queued. */
export interface QueuedGuest {
  /** Always true. */
  readonly queued: boolean;
  /** Id of the job. */
  readonly job_id: number;
  /** VMID that is reserved for the guest. */
  readonly vmid: number;
  /** Where the guest goes. */
  readonly placement: PlacementChoice;
}

/** A job that was queued. */
export interface QueuedJob {
  /** Always true. */
  readonly queued: boolean;
  /** Id of the job. */
  readonly job_id: number;
  /** VMID of its guest. */
  readonly vmid: number | null;
}

/** A node that the guest could go to. */
export interface RankedNode {
  /** Id of the host. */
  readonly host_id: number;
  /** Name of the node. */
  readonly node: string;
  /** Name of the storage for the guest's disk. */
  readonly storage: string;
  /** The weighted score, 0..1. */
  readonly score: number;
  /** Free RAM after placement, fraction 0..1 of the node's. */
  readonly ram_score: number;
  /** Idle CPU of the last 30 minutes, fraction 0..1. */
  readonly cpu_score: number;
  /** Free space after placement, fraction 0..1 of the storage's. */
  readonly storage_score: number;
  /** Guests on the node, safety copies not counted. */
  readonly guest_count: number;
  /** Where the score comes from, for people. */
  readonly explanation: string;
}

/** A stored SSH public key. */
export interface SshKey {
  /** Name that its owner gave it. */
  readonly name: string;
  /** Fingerprint, `SHA256:…`. */
  readonly fingerprint: string;
}

/** A storage as one node sees it; a shared one is listed for each node. */
export interface Storage {
  /** Name. */
  readonly name: string;
  /** Name of the node. */
  readonly node: string;
  /** Type on the platform, such as `lvmthin` or `dir`. */
  readonly type: string;
  /** Content types: `images`, `rootdir`, `vztmpl`, `iso`, … */
  readonly content: readonly string[];
  /** Whether several nodes see the same data. */
  readonly shared: boolean;
  /** Whether the node can use it now. */
  readonly active: boolean;
  /** Size, bytes. */
  readonly total_bytes: number;
  /** In use, bytes. */
  readonly used_bytes: number;
  /** Free, bytes. */
  readonly free_bytes: number;
}

/** A person: operator, reseller or customer. */
export interface User {
  /** Id. */
  readonly id: number;
  /** E-mail address, unique. */
  readonly email: string;
  /** Login name, unique. */
  readonly username: string;
  /** Id that the caller's own system gave the user. */
  readonly user_id: string | null;
  /** Guests that the user owns and the caller may see. */
  readonly guest_count: number;
  /** When the user was made. */
  readonly created_at: string;
}

/** Body of createGuestOnHost: Queues the creation of a guest on the host. */
export interface CreateGuestOnHostBody {
  /** qemu or lxc */
  readonly type: "qemu" | "lxc";
  /** Name of the node, or auto: placement chooses */
  readonly node: string;
  /** Name, a valid DNS name */
  readonly name: string;
  /** Plan that sets cores, memory and disk */
  readonly plan_id?: number;
  /** CPU cores; needed without plan_id */
  readonly cores?: number;
  /** RAM, MiB; needed without plan_id */
  readonly memory_mb?: number;
  /** Disk, GiB; needed without plan_id */
  readonly disk_gb?: number;
  /** tpl:<template_id> for a virtual machine; the volume id of a template file for a container */
  readonly os_template?: string;
  /** Container template of the managed library */
  readonly lxc_template_id?: number;
  /** Initial password, at least 8 characters */
  readonly password?: string;
  /** OpenSSH public keys; the owner's stored keys count too */
  readonly ssh_keys?: readonly string[];
  /** A free VMID; may be left out when node is auto */
  readonly vmid?: number;
  /** User who owns it */
  readonly owner_id?: number;
  /** dhcp (when left out) or zone:<zone_id>: the next free address of that zone */
  readonly ip_source?: string;
}

/** Body of powerGuest: Starts, stops, shuts down, reboots, suspends or resumes a guest; the platform's task goes on afterwards. */
export interface PowerGuestBody {
  /** Node that the guest is on */
  readonly node: string;
  /** What to do */
  readonly action: "start" | "stop" | "shutdown" | "reboot" | "suspend" | "resume";
}

/** Body of reinstallGuest: Queues the reinstallation of a guest, which keeps its VMID, size, addresses and owner. */
export interface ReinstallGuestBody {
  /** tpl:<template_id> for a virtual machine; the volume id of a template file for a container */
  readonly os_template?: string;
  /** Container template of the managed library */
  readonly lxc_template_id?: number;
  /** Initial password, at least 8 characters */
  readonly password?: string;
  /** OpenSSH public keys; the owner's stored keys count too */
  readonly ssh_keys?: readonly string[];
}

/** Body of createGuest: Queues the creation of a guest on the best node of all hosts in the token's scope; node must be auto. */
export interface CreateGuestBody {
  /** qemu or lxc */
  readonly type: "qemu" | "lxc";
  /** Name of the node, or auto: placement chooses */
  readonly node: string;
  /** Name, a valid DNS name */
  readonly name: string;
  /** Plan that sets cores, memory and disk */
  readonly plan_id?: number;
  /** CPU cores; needed without plan_id */
  readonly cores?: number;
  /** RAM, MiB; needed without plan_id */
  readonly memory_mb?: number;
  /** Disk, GiB; needed without plan_id */
  readonly disk_gb?: number;
  /** tpl:<template_id> for a virtual machine; the volume id of a template file for a container */
  readonly os_template?: string;
  /** Container template of the managed library */
  readonly lxc_template_id?: number;
  /** Initial password, at least 8 characters */
  readonly password?: string;
  /** OpenSSH public keys; the owner's stored keys count too */
  readonly ssh_keys?: readonly string[];
  /** A free VMID; may be left out when node is auto */
  readonly vmid?: number;
  /** User who owns it */
  readonly owner_id?: number;
  /** dhcp (when left out) or zone:<zone_id>: the next free address of that zone */
  readonly ip_source?: string;
}

/** Body of createUser: Makes a customer; the generated password is told once. */
export interface CreateUserBody {
  /** E-mail address, unique */
  readonly email: string;
  /** Login name, unique */
  readonly username: string;
  /** Id in the caller's own system */
  readonly user_id?: string;
}

/** Body of assignGuest: Gives a guest to a user. */
export interface AssignGuestBody {
  /** Id of the guest's host */
  readonly host_id: number;
  /** qemu or lxc */
  readonly type: "qemu" | "lxc";
  /** VMID of the guest */
  readonly vmid: number;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly meta: PageMeta;
}

/** A refusal: its HTTP status, and the service's own words. */
export class DroverError extends Error {
  readonly status: number;
  /** Seconds after which a 429 is over; null otherwise. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.name = "DroverError";
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A job that failed; the message is the reason. */
export class JobFailed extends Error {
  readonly job: Job;

  constructor(job: Job) {
    super(job.error ?? "The job failed");
    this.name = "JobFailed";
    this.job = job;
  }
}

interface Sent {
  readonly query?: object;
  readonly body?: object;
}

interface Envelope<Data> {
  readonly data?: Data;
  readonly error?: string | null;
  readonly meta?: PageMeta;
}

export class Drover {
  readonly #base: string;
  readonly #token: string;
  readonly #timeoutMs: number;

  /** @param url where the service is, such as `https://panel.example.com` */
  constructor(url: string, token: string, timeoutSeconds = 60) {
    this.#base = `${url.replace(/\/$/, "")}/api/v1`;
    this.#token = token;
    this.#timeoutMs = timeoutSeconds * 1000;
  }

  /** Every record of a list: `for await (const guest of drover.all((page) => drover.guests(1, page)))`. */
  async *all<Item>(list: (page: { page: number; perPage: number }) => Promise<Page<Item>>): AsyncGenerator<Item> {
    for (let page = 1, seen = 0, total = 1; seen < total; page++) {
      const { items, meta } = await list({ page, perPage: 200 });
      if (items.length === 0) return;
      yield* items;
      seen += items.length;
      total = meta.total;
    }
  }

  /** Asks for a job every few seconds until it is done. @throws JobFailed; DroverError (408) when it takes too long */
  async waitForJob(
    hostId: number,
    jobId: number,
    timing: { everySeconds?: number; atMostSeconds?: number } = {},
  ): Promise<Job> {
    const { everySeconds = 3, atMostSeconds = 3600 } = timing;
    const deadline = Date.now() + atMostSeconds * 1000;
    for (;;) {
      const job = await this.job(hostId, jobId);
      if (job.status === "done") return job;
      if (job.status === "failed") throw new JobFailed(job);
      if (Date.now() >= deadline) throw new DroverError(408, `Job ${jobId} is still ${job.status}`);
      await new Promise((resolve) => setTimeout(resolve, everySeconds * 1000));
    }
  }

  /** Hosts in the token's scope. `GET /hosts` */
  hosts(query: { readonly page?: number; readonly perPage?: number } = {}): Promise<Page<Host>> {
    return this.#page("GET", writePath`/hosts`, { query });
  }

  /** Nodes of a host. `GET /hosts/{id}/nodes` */
  nodes(id: number, query: { readonly page?: number; readonly perPage?: number } = {}): Promise<Page<Node>> {
    return this.#page("GET", writePath`/hosts/${id}/nodes`, { query });
  }

  /** One node by name. `GET /hosts/{id}/nodes/{node}` */
  node(id: number, node: string): Promise<Node> {
    return this.#record("GET", writePath`/hosts/${id}/nodes/${node}`);
  }

  /** Active plans. `GET /hosts/{id}/plans` */
  plans(id: number, query: { readonly page?: number; readonly perPage?: number } = {}): Promise<Page<Plan>> {
    return this.#page("GET", writePath`/hosts/${id}/plans`, { query });
  }

  /** Storages, a record for each node that sees one. `GET /hosts/{id}/storages` */
  storages(
    id: number,
    query: { readonly node?: string; readonly page?: number; readonly perPage?: number } = {},
  ): Promise<Page<Storage>> {
    return this.#page("GET", writePath`/hosts/${id}/storages`, { query });
  }

  /** Bridges and other networks, a record for each node that has one. `GET /hosts/{id}/networks` */
  networks(
    id: number,
    query: { readonly node?: string; readonly page?: number; readonly perPage?: number } = {},
  ): Promise<Page<Network>> {
    return this.#page("GET", writePath`/hosts/${id}/networks`, { query });
  }

  /** Templates of virtual machines; `ref` is what a creation is told. `GET /hosts/{id}/os-templates` */
  osTemplates(
    id: number,
    query: { readonly page?: number; readonly perPage?: number } = {},
  ): Promise<Page<OsTemplate>> {
    return this.#page("GET", writePath`/hosts/${id}/os-templates`, { query });
  }

  /** Templates of containers: the managed library and the nodes' own files. `GET /hosts/{id}/ct-templates` */
  ctTemplates(
    id: number,
    query: { readonly node?: string; readonly page?: number; readonly perPage?: number } = {},
  ): Promise<Page<CtTemplate>> {
    return this.#page("GET", writePath`/hosts/${id}/ct-templates`, { query });
  }

  /** IP zones; `ref` is what a creation is told. `GET /hosts/{id}/ip-zones` */
  ipZones(id: number, query: { readonly page?: number; readonly perPage?: number } = {}): Promise<Page<IpZone>> {
    return this.#page("GET", writePath`/hosts/${id}/ip-zones`, { query });
  }

  /** The next free VMID; asking does not reserve it. `GET /hosts/{id}/next-vmid` */
  nextVmid(id: number): Promise<{
    /** The lowest VMID of a host that is neither in use nor reserved. Asking does not reserve it. */
    readonly vmid: number;
  }> {
    return this.#record("GET", writePath`/hosts/${id}/next-vmid`);
  }

  /** Every virtual machine and container on the host. `GET /hosts/{id}/guests` */
  guests(id: number, query: { readonly page?: number; readonly perPage?: number } = {}): Promise<Page<Guest>> {
    return this.#page("GET", writePath`/hosts/${id}/guests`, { query });
  }

  /** Queues the creation of a guest on the host. `POST /hosts/{id}/guests` */
  createGuestOnHost(id: number, body: CreateGuestOnHostBody): Promise<QueuedGuest> {
    return this.#record("POST", writePath`/hosts/${id}/guests`, { body });
  }

  /** One guest. `GET /hosts/{id}/guests/{type}/{vmid}` */
  guest(id: number, type: "qemu" | "lxc", vmid: number): Promise<Guest> {
    return this.#record("GET", writePath`/hosts/${id}/guests/${type}/${vmid}`);
  }

  /** Queues the deletion of a guest; its addresses from IP zones are released. `DELETE /hosts/{id}/guests/{type}/{vmid}` */
  deleteGuest(id: number, type: "qemu" | "lxc", vmid: number): Promise<QueuedJob> {
    return this.#record("DELETE", writePath`/hosts/${id}/guests/${type}/${vmid}`);
  }

  /** Starts, stops, shuts down, reboots, suspends or resumes a guest; the platform's task goes on afterwards. `POST /hosts/{id}/guests/{type}/{vmid}/power` */
  powerGuest(id: number, type: "qemu" | "lxc", vmid: number, body: PowerGuestBody): Promise<PowerResult> {
    return this.#record("POST", writePath`/hosts/${id}/guests/${type}/${vmid}/power`, { body });
  }

  /** Queues the reinstallation of a guest, which keeps its VMID, size, addresses and owner. `POST /hosts/{id}/guests/{type}/{vmid}/reinstall` */
  reinstallGuest(id: number, type: "qemu" | "lxc", vmid: number, body: ReinstallGuestBody = {}): Promise<QueuedJob> {
    return this.#record("POST", writePath`/hosts/${id}/guests/${type}/${vmid}/reinstall`, { body });
  }

  /** Queues the creation of a guest on the best node of all hosts in the token's scope; node must be auto. `POST /guests` */
  createGuest(body: CreateGuestBody): Promise<QueuedGuest> {
    return this.#record("POST", writePath`/guests`, { body });
  }

  /** A job of the host. `GET /hosts/{id}/jobs/{job_id}` */
  job(id: number, jobId: number): Promise<Job> {
    return this.#record("GET", writePath`/hosts/${id}/jobs/${jobId}`);
  }

  /** A task of the platform, as its node tells it now. `GET /hosts/{id}/tasks/{node}/{upid}` */
  task(id: number, node: string, upid: string): Promise<HypervisorTask> {
    return this.#record("GET", writePath`/hosts/${id}/tasks/${node}/${upid}`);
  }

  /** Where a guest would be placed now, among the hosts in the token's scope; nothing is created. `GET /placement/suggest` */
  placementSuggest(query: {
    readonly type: "qemu" | "lxc";
    readonly memory_mb: number;
    readonly cores: number;
    readonly disk_gb: number;
  }): Promise<PlacementResult> {
    return this.#record("GET", writePath`/placement/suggest`, { query });
  }

  /** Customers. `GET /users` */
  users(query: { readonly page?: number; readonly perPage?: number } = {}): Promise<Page<User>> {
    return this.#page("GET", writePath`/users`, { query });
  }

  /** Makes a customer; the generated password is told once. `POST /users` */
  createUser(body: CreateUserBody): Promise<CreatedUser> {
    return this.#record("POST", writePath`/users`, { body });
  }

  /** Name and fingerprint of a user's SSH keys. `GET /users/{id}/ssh-keys` */
  sshKeys(id: number, query: { readonly page?: number; readonly perPage?: number } = {}): Promise<Page<SshKey>> {
    return this.#page("GET", writePath`/users/${id}/ssh-keys`, { query });
  }

  /** Gives a guest to a user. `POST /users/{id}/guests` */
  assignGuest(id: number, body: AssignGuestBody): Promise<Guest> {
    return this.#record("POST", writePath`/users/${id}/guests`, { body });
  }

  /** Deletes a customer; their guests stay, without an owner. `DELETE /users/{id}` */
  deleteUser(id: number): Promise<{
    /** Deletes a user; their guests stay, without an owner. Needs `users.manage`. Refused with `CONFLICT` (`OWN_ACCOUNT`) for the caller's own account. */
    readonly deleted: boolean;
  }> {
    return this.#record("DELETE", writePath`/users/${id}`);
  }

  async #record<Data>(method: string, path: string, sent: Sent = {}): Promise<Data> {
    const { data } = await this.#call<Data>(method, path, sent);
    if (data === undefined) throw new DroverError(502, "The answer has no data");
    return data;
  }

  async #page<Item>(method: string, path: string, sent: Sent = {}): Promise<Page<Item>> {
    const { data, meta } = await this.#call<readonly Item[]>(method, path, sent);
    if (data === undefined || meta === undefined) throw new DroverError(502, "The answer is no list");
    return { items: data, meta };
  }

  async #call<Data>(method: string, path: string, { query = {}, body }: Sent): Promise<Envelope<Data>> {
    const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#token}`, Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(`${this.#base}${path}?${parameters}`, {
      method,
      headers,
      signal: AbortSignal.timeout(this.#timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const envelope = readEnvelope<Data>(response.status, await response.text());
    if (response.ok) return envelope;
    const retryAfter = response.headers.get("Retry-After");
    throw new DroverError(
      response.status,
      envelope.error ?? response.statusText,
      retryAfter === null ? null : Number(retryAfter),
    );
  }
}

/** Path values are encoded: the id of a task has colons. */
const writePath = (texts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)));

/** A proxy in between may answer something else than the service would. */
function readEnvelope<Data>(status: number, text: string): Envelope<Data> {
  try {
    const envelope: Envelope<Data> = JSON.parse(text);
    return envelope;
  } catch (cause) {
    throw new DroverError(status, `The answer is no JSON: ${String(cause)}`);
  }
}
