// Keeps the backup jobs of the cluster: listing, making, changing and removing them. Nothing runs them here.
import { randomUUID } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { failure, parameterError, permissionError } from "../api.js";
import { splitList } from "../parameters/lists.js";
import { parsePropertyString } from "../parameters/propertyString.js";
import { propertyTable } from "../parameters/namedFormats.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { disksOf } from "./disks.js";
import { selectedGuests } from "./included.js";
import { checkOptions } from "./vzdump.js";

type Job = Record<string, string>;

/** Options that are numbers where they are shown. */
const numeric: ReadonlySet<string> = new Set(
  "all enabled stdexcludes pigz zstd quiet bwlimit ionice lockwait stopwait remove protected repeat-missed".split(" "),
);
/** Only one of these says which guests are meant. */
const selections = ["vmid", "all", "pool"];
const plainJob = { type: "vzdump", enabled: 1, mode: "snapshot", storage: "local", schedule: "02:30" };

/** `GET /cluster/backup`; jobs that came with the platform have the usual options. */
export function listBackupJobs({ platform: { state } }: Call): ApiAnswer {
  const vmid = [...state.backedUp].join(",");
  return answer([
    ...(vmid === "" ? [] : [{ ...plainJob, id: "backup-named", vmid }]),
    ...(state.backsUpAll ? [{ ...plainJob, id: "backup-all", all: 1 }] : []),
    ...[...state.backupJobs].map(([id, job]) => shown(id, job)),
  ]);
}

function shown(id: string, job: Job): Record<string, unknown> {
  const values = Object.entries(job).map(([name, value]) => {
    if (name === "prune-backups") return [name, parsePropertyString(value, propertyTable("prune-backups") ?? {})];
    return [name, numeric.has(name) ? Number(value) : value];
  });
  return { id, type: "vzdump", ...Object.fromEntries(values) };
}

/** `GET /cluster/backup/{id}`. */
export function readBackupJob(call: Call): ApiAnswer {
  return answer(shown(call.parameters.text("id"), jobOf(call)));
}

function jobOf({ parameters, platform }: Call): Job {
  const id = parameters.text("id");
  const job = platform.state.backupJobs.get(id);
  if (job === undefined) throw parameterError({ id: `No such job '${id}'` });
  return job;
}

/** `POST /cluster/backup`. */
export function createBackupJob(call: Call): ApiAnswer {
  const { parameters, platform } = call;
  checkOptions(call);
  const id = parameters.optional("id") ?? randomUUID();
  const job = withSchedule(parameters.without("id"));
  if (job.schedule === undefined) throw parameterError({ schedule: "neither 'starttime' nor 'schedule' were set" });
  checkPool(call);
  if (platform.state.backupJobs.has(id)) throw failure(`Job '${id}' already exists`);
  const chosen = selections.some((name) => job[name] !== undefined && job[name] !== "0") || job.exclude !== undefined;
  if (!chosen) throw failure("400 Parameter verification failed.\nvmid: property is missing");
  platform.state.backupJobs.set(id, { enabled: "1", ...job });
  return answer(null);
}

/** The older start time and days of the week become a schedule. */
function withSchedule(given: Job): Job {
  const { starttime, dow, ...job } = given;
  if (starttime === undefined) return job;
  if (job.schedule !== undefined) throw parameterError({ starttime: "'starttime' and 'schedule' cannot both be set" });
  return { ...job, schedule: dow === undefined ? starttime : `${dow} ${starttime}` };
}

function checkPool({ parameters, platform }: Call): void {
  const pool = parameters.optional("pool");
  if (pool !== undefined && !platform.state.access.pools.has(pool))
    throw permissionError(`pool '${pool}' does not exist`);
}

/** `PUT /cluster/backup/{id}`; another choice of guests takes the place of the former. */
export function updateBackupJob(call: Call): ApiAnswer {
  const { parameters, platform } = call;
  checkOptions(call);
  checkPool(call);
  const id = parameters.text("id");
  const before = platform.state.backupJobs.get(id);
  if (before === undefined) throw failure("no such vzdump job");
  const given = withSchedule(parameters.without("id", "delete", "digest"));
  const removed = new Set(splitList(parameters.optional("delete") ?? ""));
  const choice = selections.find((name) => given[name] !== undefined);
  if (choice !== undefined) for (const name of selections) if (name !== choice) removed.add(name);
  const kept = Object.entries(before).filter(([name]) => !removed.has(name));
  platform.state.backupJobs.set(id, { ...Object.fromEntries(kept), ...given });
  return answer(null);
}

/** `DELETE /cluster/backup/{id}`. */
export function deleteBackupJob({ parameters, platform }: Call): ApiAnswer {
  const id = parameters.text("id");
  if (!platform.state.backupJobs.delete(id))
    throw failure(`400 Parameter verification failed.\nid: No such job '${id}'`);
  return answer(null);
}

/** `GET /cluster/backup/{id}/included_volumes`: what the job would save, as a tree. */
export function includedVolumes(call: Call): ApiAnswer {
  const guests = selectedGuests(call, jobOf(call)).flatMap((vmid) => call.platform.state.guests.get(vmid) ?? []);
  return answer({ children: guests.map((guest) => guestBranch(call, guest)) });
}

function guestBranch({ platform }: Call, guest: Guest): Record<string, unknown> {
  const { vmid, type, config } = guest;
  const children = disksOf(platform, guest).map(({ key, volid, included }) => ({
    id: `${vmid}:${key}`,
    name: volid,
    leaf: 1,
    included: included ? 1 : 0,
    reason: included ? "backup=yes" : "backup=no",
  }));
  return { id: vmid, type, name: config.name ?? config.hostname ?? "", leaf: 0, children };
}

/** `GET /cluster/backup-info/not-backed-up`: guests that no job takes in. */
export function notBackedUp(call: Call): ApiAnswer {
  const { state, permissions } = call.platform;
  const covered = new Set([...state.backupJobs.values()].flatMap((job) => selectedGuests(call, job)));
  const rows = [...state.guests.values()]
    .filter(({ vmid }) => !covered.has(vmid) && !state.backedUp.has(vmid) && !state.backsUpAll)
    .filter(({ vmid }) => permissions.has(call.identity.label, `/vms/${vmid}`, ["VM.Audit"]))
    .map(({ vmid, type, config }) => ({ vmid, type, name: config.name ?? config.hostname ?? "" }));
  return answer(rows);
}
