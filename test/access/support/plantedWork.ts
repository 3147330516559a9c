// The jobs, runs and moves of the planted database, with what belongs to them.
import type { JobKind, JobStatus } from "../../../src/core/enums.js";
import { fromNow, type Given, type Rows } from "../../support/rows.js";

const NOW = fromNow(0);
const IN_AN_HOUR = fromNow(3600);
const LONG_AGO = "2026-01-01T00:00:00Z";

/** Of a job that works on a guest. */
const on = (host_id: number, node: string, vmid: number, guest_id: number | null): Given<"job"> => ({
  host_id,
  node,
  vmid,
  guest_id,
});

const facts = (mark: string, { failure = "failure", waits = "waits", hostId = 1 }): Given<"job">["facts"] => ({
  failure: `${mark} ${failure}`,
  undoing: `${mark} undoing`,
  waiting: { hostId, reason: `${mark} ${waits}`, since: LONG_AGO, triesAgainAt: LONG_AGO, epoch: 0 },
});

const job = (kind: JobKind, status: JobStatus, given: Given<"job">): Given<"job"> => ({
  kind,
  status,
  progress: 0.5,
  started_at: null,
  input: { x: "plantsecret-in" },
  created_by_user: 1,
  ...given,
});

const running = (kind: JobKind, given: Given<"job">): Given<"job"> =>
  job(kind, "running", { lease_until: IN_AN_HOUR, ...given });

const reinstallation = (mark: string, given: Given<"job">): Given<"job"> =>
  running("guest_reinstall", {
    step: "clone",
    upids: [`UPID:${given.node}:${mark}:`],
    secrets_encrypted: "plantsecret-se",
    facts: facts(mark, {}),
    worker: "plantsecret-w",
    ...given,
  });

const failed = (kind: JobKind, mark: string, given: Given<"job">): Given<"job"> =>
  job(kind, "failed", {
    error: `${mark} failed because`,
    step: "clone",
    upids: [`UPID:${given.node}:${mark}:`],
    ...given,
  });

const run = (given: Given<"run">): Given<"run"> => ({ started_at: NOW, ...given });

const move = (mark: string, given: Given<"migration">): Given<"migration"> => ({
  target_node: "plantnode2",
  status: "failed",
  bytes_total: 1000,
  bytes_copied: 500,
  started_at: NOW,
  ...given,
  log: [`${mark} log${given.target_host_id === 3 ? "" : " plantnode2"}`],
  foreseen: [`${mark} foreseen${given.target_host_id === 3 ? "" : " plantnode2"}`],
});

export const WORK: Rows = {
  job: [
    reinstallation("plantguesta1", { ...on(1, "plantnode1a", 101, 1), created_by_user: 5 }),
    reinstallation("plantguestb1", { ...on(1, "plantnode1b", 102, 2), created_by_user: 6 }),
    failed("guest_create", "plantguestn1", on(1, "plantnode1a", 103, 3)),
    failed("guest_create", "plantguesta2", { ...on(2, "plantnode2", 101, 5), created_by_user: 3 }),
    failed("guest_create", "plantguestb2", { ...on(2, "plantnode2", 102, 6), created_by_user: 4 }),
    failed("guest_delete", "plantguestn2", {
      ...on(2, "plantnode2", 103, 7),
      created_by_user: null,
      created_by_token: 5,
    }),
    failed("guest_delete", "plantguestn3", { ...on(3, "plantnode3", 101, 10), created_by_user: 2 }),
    job("migration", "failed", {
      ...on(1, "plantnode1a", 101, 1),
      error: "plantmove12 node plantnode2 refused plantguesta1",
      step: "transfer",
      upids: ["UPID:plantmove12:"],
    }),
    running("migration", {
      ...on(1, "plantnode1b", 102, 2),
      step: "transfer",
      upids: ["UPID:plantmove12b:"],
      secrets_encrypted: "plantsecret-se",
      facts: facts("plantmove12b", { failure: "failure at plantnode2", waits: "planthost2 waits", hostId: 2 }),
      worker: "plantsecret-w",
    }),
    running("evacuation", { step: "move" }),
    job("evacuation", "done", { host_id: 2, progress: 1, step: "move" }),
    running("balance_run", { host_id: null, step: "move" }),
    job("migration", "failed", {
      ...on(2, "plantnode2", 103, 7),
      error: "plantmove23 to plantnode3 refused",
      step: "transfer",
      upids: ["UPID:plantmove23:"],
      input: {},
    }),
    job("guest_create", "queued", {
      ...on(1, "plantnode1a", 110, null),
      progress: 0,
      secrets_encrypted: "plantsecret-se",
      created_by_user: null,
      created_by_token: 3,
    }),
  ],
  job_step: [
    { job_id: 1, status: "failed", error: "plantguesta1 step" },
    { job_id: 2, status: "failed", error: "plantguestb1 step" },
    { job_id: 8, name: "ip_plan", status: "warned", error: "plantmove12 warn plantnode2" },
    { job_id: 9, name: "transfer", status: "failed", error: "plantmove12b step plantnode2" },
  ],
  vmid_reservation: [{ vmid: 110, job_id: 14 }],
  resource_lock: [
    { key: "guest:1:101", job_id: 1 },
    { key: "guest:1:102", job_id: 9 },
  ],
  run: [
    run({ job_id: 10, node: "plantnode1a", target_host_id: 2, target_node: "plantnode2" }),
    run({
      job_id: 11,
      host_id: 2,
      node: "plantnode2",
      target_host_id: 3,
      target_node: "plantnode3",
      finished_at: NOW,
    }),
    run({ kind: "balance_run", job_id: 12 }),
    run({ host_scope: [1], finished_at: NOW }),
  ],
  migration: [
    move("plantmove12", {
      job_id: 8,
      guest_name: "plantguesta1",
      vmid: 101,
      target_vmid: 201,
      source_node: "plantnode1a",
      error: "plantmove12 node plantnode2 refused",
      evacuation_id: 1,
      finished_at: NOW,
    }),
    move("plantmove12b", {
      job_id: 9,
      guest_id: 2,
      guest_name: "plantguestb1",
      vmid: 102,
      target_vmid: 202,
      source_node: "plantnode1b",
      status: "running",
      balance_run_id: 3,
    }),
    move("plantmove23", {
      job_id: 13,
      guest_id: 7,
      guest_name: "plantguestn2",
      guest_type: "lxc",
      vmid: 103,
      target_vmid: 203,
      source_host_id: 2,
      source_node: "plantnode2",
      target_host_id: 3,
      target_node: "plantnode3",
      error: "plantmove23 refused",
      safety_copy_guest_id: 8,
      evacuation_id: 2,
      finished_at: NOW,
    }),
  ],
  run_item: [
    {
      guest_name: "plantguesta1",
      vmid: 101,
      from_node: "plantnode1a",
      to_host_id: 2,
      to_node: "plantnode2",
      status: "failed",
      reason: "plantmove12 node plantnode2 refused",
      migration_id: 1,
    },
    {
      position: 2,
      guest_id: 3,
      guest_name: "plantguestn1",
      vmid: 103,
      from_node: "plantnode1a",
      to_host_id: 2,
      to_node: "plantnode2",
    },
    {
      run_id: 2,
      guest_id: 7,
      guest_name: "plantguestn2",
      vmid: 103,
      from_host_id: 2,
      from_node: "plantnode2",
      to_host_id: 3,
      to_node: "plantnode3",
      status: "failed",
      reason: "plantmove23 refused",
      migration_id: 3,
    },
    {
      run_id: 3,
      guest_id: 2,
      guest_name: "plantguestb1",
      vmid: 102,
      from_node: "plantnode1b",
      to_host_id: 2,
      to_node: "plantnode2",
      status: "running",
      migration_id: 2,
    },
    {
      run_id: 4,
      guest_id: 3,
      guest_name: "plantguestn1",
      vmid: 103,
      from_node: "plantnode1a",
      status: "skipped",
      reason: "no node has room plantguestn1",
    },
  ],
  agent_job: [
    { job_id: 1, kind: "unlock_guest", payload: { x: "plantsecret-aj1" } },
    { node_id: 3, job_id: 4, kind: "unlock_guest", payload: { x: "plantsecret-aj2" } },
  ],
  temporary_token: [
    {
      host_id: 2,
      job_id: 9,
      user_name: "plantsecret-tt",
      token_name: "plantsecret-tt",
      secret_encrypted: "plantsecret-tt",
    },
  ],
  worker: [{ name: "plantsecret-worker", queues: ["jobs", "migrations"] }],
};
