// Starts backups: what is refused at once, and the task that saves guest after guest, one such task a node at a time.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import { superuser } from "../state/access.js";
import { TaskInterrupted } from "../tasks/worker.js";
import type { Worker } from "../tasks/worker.js";
import { includedGuests } from "./included.js";
import { NodeLocks } from "./nodeLocks.js";
import { templateProblem } from "./notes.js";
import { saveGuest } from "./saveGuest.js";
import { requireBackupStorage, targetStorage } from "./target.js";
import { timestamp } from "../migration/figures.js";

const rootOnly = ["tmpdir", "dumpdir", "script"];
const defaultLockMinutes = 180;

/** `POST /nodes/{node}/vzdump` → UPID, or `OK` when there is nothing to do on this node. */
export function startBackup(call: Call): ApiAnswer {
  const { parameters, platform, identity } = call;
  if (parameters.has("stdout"))
    throw parameterError({ stdout: "option is only allowed on the command line interface." });
  checkOptions(call);
  checkSelection(call, true);
  const vmids = includedGuests(call, parameters.values);
  if (vmids.length === 0 && !parameters.flag("all")) return answer("OK");
  const storage = targetStorage(parameters.values);
  platform.permissions.check(identity.label, `/storage/${storage}`, ["Datastore.AllocateSpace"]);
  const [only] = vmids;
  return answer(
    platform.tasks.start({
      node: nodeOf(call),
      type: "vzdump",
      id: only !== undefined && vmids.length === 1 ? String(only) : "",
      identity,
      expectedMs: 8000 * Math.max(1, vmids.length),
      run: (task) => backUp(call, vmids, task),
    }),
  );
}

/** What only some may set. Jobs ask the same. @throws ApiError 400 or 403 */
export function checkOptions({ parameters, platform, identity }: Call): void {
  const { label } = identity;
  const forbidden = rootOnly.find((name) => parameters.has(name));
  if (forbidden !== undefined && label !== superuser)
    throw parameterError({ [forbidden]: "Only root may set this option." });
  if (parameters.has("prune-backups"))
    platform.permissions.check(label, `/storage/${targetStorage(parameters.values)}`, ["Datastore.Allocate"]);
  const limits = ["bwlimit", "performance", "ionice"].filter((name) => parameters.has(name));
  if (limits.length > 0) platform.permissions.check(label, "/", ["Sys.Modify"]);
  const problem = templateProblem(parameters.optional("notes-template") ?? "");
  if (problem !== null) throw parameterError({ "notes-template": problem });
}

/** Guests are named, or chosen by pool, or all taken. @throws ApiError 400 or 500 */
function checkSelection({ parameters, platform }: Call, needed: boolean): void {
  const named = parameters.has("vmid");
  for (const other of ["all", "exclude", "pool"])
    if (named && parameters.has(other) && parameters.optional(other) !== "0")
      throw parameterError({ [other]: "option conflicts with option 'vmid'" });
  const chosen = ["all", "stop"].some((name) => parameters.flag(name)) || parameters.has("pool");
  if (needed && !named && !chosen && !parameters.has("exclude")) throw parameterError({ vmid: "property is missing" });
  const pool = parameters.optional("pool");
  if (pool !== undefined && !platform.state.access.pools.has(pool)) throw failure(`pool '${pool}' does not exist`);
}

const locks = new NodeLocks();

async function backUp(call: Call, vmids: readonly number[], task: Worker): Promise<void> {
  const { platform, parameters } = call;
  const node = nodeOf(call);
  requireBackupStorage(platform.state, targetStorage(parameters.values), node);
  const minutes = parameters.number("lockwait") ?? defaultLockMinutes;
  const release = await locks.take(platform, node, { task, patienceMs: minutes * 60_000 });
  try {
    await saveAll(call, vmids, task);
  } finally {
    release();
  }
}

async function saveAll(call: Call, vmids: readonly number[], task: Worker): Promise<void> {
  task.log(`INFO: starting new backup job: ${commandLine(call, vmids)}`);
  let failed = false;
  for (const vmid of vmids) {
    try {
      await saveGuest(call, vmid, task);
    } catch (error) {
      if (task.dead) throw error;
      failed = true;
      const isStopped = error instanceof TaskInterrupted;
      const words = isStopped ? "interrupted by signal" : error instanceof Error ? error.message : String(error);
      task.log(`ERROR: Backup of VM ${vmid} failed - ${words}`);
      task.log(`INFO: Failed at ${timestamp(call.platform.clock.now())}`);
      if (!isStopped) continue;
      task.log(`ERROR: Backup job failed - ${words}`);
      throw failure(words);
    }
  }
  task.log(`INFO: Backup job finished ${failed ? "with errors" : "successfully"}`);
  if (failed) throw failure("job errors");
}

function commandLine({ parameters }: Call, vmids: readonly number[]): string {
  const named = parameters.has("vmid") ? vmids.join(" ") : "";
  const options = Object.entries(parameters.without("vmid", "node")).map(
    ([name, value]) => `--${name} ${quoted(name === "prune-backups" && value === "" ? "keep-all=1" : value)}`,
  );
  const node = `--node ${parameters.text("node")}`;
  return ["vzdump", named, ...options, node].filter((part) => part !== "").join(" ");
}

function quoted(value: string): string {
  return /^[\w@%+:,./-]+$/.test(value) && !value.includes("=") ? value : `'${value}'`;
}
