// Places, creates, powers, reinstalls and terminates virtual machines over Drover's REST v1, as a billing system does.
// `create` and `terminate` look first at what is there: after a failure they may be repeated. Before `power` and `reinstall` are
// repeated, look at the guest.
//
//   npm install openapi-fetch
//   npx openapi-typescript https://panel.example.com/api/v1/openapi.json --output openapi.ts
//   export DROVER_URL=https://panel.example.com DROVER_TOKEN=drv_…
//   node billing.ts place 2048 2 20      # MiB, cores, GiB; prints host, node and VMID: keep them with the order
//   GUEST_PASSWORD=… node billing.ts create 1 ams1 500 web1.example.com 2048 2 20 tpl:1
//   node billing.ts power 1 500 reboot
//   GUEST_PASSWORD=… node billing.ts reinstall 1 500 tpl:1
//   node billing.ts terminate 1 500 web1.example.com
import createClient, { type Client } from "openapi-fetch";
import { setTimeout as sleep } from "node:timers/promises";
import type { components, operations, paths } from "./openapi.js";

type Api = Client<paths>;
type Job = components["schemas"]["Job"];
type Creation = operations["createGuestOnHost"]["requestBody"]["content"]["application/json"];
type Installation = { readonly os_template: string; readonly password: string };
type PowerAction = operations["powerGuest"]["requestBody"]["content"]["application/json"]["action"];

/** How long an answer that only reads is waited for while the service is away: longer than any restart. */
const PATIENCE_MS = 10 * 60_000;
const REQUEST_MS = 60_000;
const POLL_MS = 3000;
const LONGEST_JOB_MS = 3_600_000;

/** A request that the service refused; the message is its own. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(`${status} ${message}`);
    this.status = status;
  }
}

export const connect = (url: string, token: string): Api =>
  createClient<paths>({ baseUrl: `${url}/api/v1`, headers: { Authorization: `Bearer ${token}` }, fetch: patientFetch });

/** Waits as `Retry-After` says where nothing was done (429), and while the service is away if nothing is changed. */
async function patientFetch(request: Request): Promise<Response> {
  const isRead = request.method === "GET";
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const outcome = await fetch(request.clone(), { signal: AbortSignal.timeout(REQUEST_MS) }).catch(asError);
    const lost = outcome instanceof Error;
    const repeatable = lost ? isRead : outcome.status === 429 || (isRead && [502, 503, 504].includes(outcome.status));
    const waitMs = Number(lost ? 0 : outcome.headers.get("Retry-After")) * 1000 || POLL_MS;
    if (!repeatable || Date.now() + waitMs > deadline) {
      if (lost) throw outcome;
      return outcome;
    }
    await sleep(waitMs);
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

interface Answer<Data> {
  readonly data?: { readonly data: Data };
  readonly error?: { readonly error: string };
  readonly response: Response;
}

/** What the envelope carries. A proxy in between may refuse in other words than the service. */
function payload<Data>({ data, error, response }: Answer<Data>): Data {
  if (data !== undefined) return data.data;
  throw new Refused(response.status, error?.error ?? response.statusText);
}

/** Where a guest of this size would fit best now. */
export async function place(api: Api, size: operations["placementSuggest"]["parameters"]["query"]) {
  const { best } = payload(await api.GET("/placement/suggest", { params: { query: size } }));
  if (best === null) throw new Error("No node has room");
  const { host_id, node } = best;
  const { vmid } = payload(await api.GET("/hosts/{id}/next-vmid", { params: { path: { id: host_id } } }));
  return { host_id, node, vmid };
}

/** Creates the guest unless it is there already. The VMID, chosen before, keeps a repeated request from making a second one. */
export async function create(api: Api, host: number, vmid: number, order: Creation): Promise<void> {
  if (await isThere(api, host, vmid, order.name)) return;
  const body = { ...order, vmid };
  const created = payload(await api.POST("/hosts/{id}/guests", { params: { path: { id: host } }, body }));
  await jobDone(api, host, created.job_id);
}

/** Whether the guest is there. @throws Error when the VMID belongs to a guest of another name */
async function isThere(api: Api, host: number, vmid: number, name: string): Promise<boolean> {
  const answer = await api.GET("/hosts/{id}/guests/{type}/{vmid}", guestAt(host, vmid));
  if (answer.response.status === 404) return false;
  const guest = payload(answer);
  if (guest.name !== name) throw new Error(`VMID ${vmid} is ${guest.name}`);
  return true;
}

const guestAt = (id: number, vmid: number) => ({ params: { path: { id, type: "qemu" as const, vmid } } });

/** Waits until the job has ended. @throws Error with its reason when it failed */
export async function jobDone(api: Api, host: number, jobId: number): Promise<Job> {
  for (const deadline = Date.now() + LONGEST_JOB_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const path = { id: host, job_id: jobId };
    const job = payload(await api.GET("/hosts/{id}/jobs/{job_id}", { params: { path } }));
    if (job.status === "done") return job;
    if (job.status === "failed") throw new Error(job.error ?? `Job ${jobId} failed`);
  }
  throw new Error(`Job ${jobId} has not ended`);
}

/** Sends a power action and waits for the platform's task. */
export async function power(api: Api, host: number, vmid: number, action: PowerAction): Promise<void> {
  const { node } = payload(await api.GET("/hosts/{id}/guests/{type}/{vmid}", guestAt(host, vmid)));
  const address = guestAt(host, vmid);
  const sent = await api.POST("/hosts/{id}/guests/{type}/{vmid}/power", { ...address, body: { node, action } });
  const path = { id: host, node, upid: payload(sent).upid };
  for (const deadline = Date.now() + LONGEST_JOB_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const task = payload(await api.GET("/hosts/{id}/tasks/{node}/{upid}", { params: { path } }));
    if (task.status !== "stopped") continue;
    if (task.exit_status === "OK") return;
    throw new Error(task.exit_status ?? "The task failed");
  }
  throw new Error(`Task ${path.upid} has not ended`);
}

/** Installs a guest again. While its job runs, another one is refused with 409. */
export async function reinstall(api: Api, host: number, vmid: number, body: Installation): Promise<void> {
  const sent = await api.POST("/hosts/{id}/guests/{type}/{vmid}/reinstall", { ...guestAt(host, vmid), body });
  await jobDone(api, host, payload(sent).job_id);
}

/** Deletes the guest if it is there. A VMID may be used again: the name shows that it is still the same guest. */
export async function terminate(api: Api, host: number, vmid: number, name: string): Promise<void> {
  if (!(await isThere(api, host, vmid, name))) return;
  const sent = await api.DELETE("/hosts/{id}/guests/{type}/{vmid}", guestAt(host, vmid));
  await jobDone(api, host, payload(sent).job_id);
}

const sizeOf = (memory = "", cores = "", disk = "") => ({
  type: "qemu" as const,
  memory_mb: Number(memory),
  cores: Number(cores),
  disk_gb: Number(disk),
});

const ACTIONS: readonly PowerAction[] = ["start", "stop", "shutdown", "reboot", "suspend", "resume"];

function actionOf(name: string): PowerAction {
  const action = ACTIONS.find((known) => known === name);
  if (action === undefined) throw new Error(`Actions: ${ACTIONS.join(", ")}`);
  return action;
}

async function main(api: Api, [command, ...values]: readonly string[], password: string): Promise<unknown> {
  if (command === "place") {
    const [memory, cores, disk] = values;
    return place(api, sizeOf(memory, cores, disk));
  }
  const host = Number(values[0]);
  if (command === "create") {
    const [, node = "", vmid, name = "", memory, cores, disk, template = ""] = values;
    const order = { ...sizeOf(memory, cores, disk), node, name, os_template: template, password };
    return create(api, host, Number(vmid), order);
  }
  const [, vmid, word = ""] = values;
  if (command === "power") return power(api, host, Number(vmid), actionOf(word));
  if (command === "reinstall") return reinstall(api, host, Number(vmid), { os_template: word, password });
  if (command === "terminate") return terminate(api, host, Number(vmid), word);
  throw new Error("Commands: place, create, power, reinstall, terminate");
}

if (import.meta.main) {
  const { DROVER_URL = "", DROVER_TOKEN = "", GUEST_PASSWORD = "" } = process.env;
  try {
    const result = await main(connect(DROVER_URL, DROVER_TOKEN), process.argv.slice(2), GUEST_PASSWORD);
    if (result !== undefined) process.stdout.write(`${JSON.stringify(result)}\n`);
  } catch (error) {
    process.stderr.write(`${asError(error).message}\n`);
    process.exitCode = 1;
  }
}
