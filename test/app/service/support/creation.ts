// Creates containers on a simulated host through the service's doors.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../../simulator/host.js";
import { connectionOf, SECRET } from "../../../inventory/support/site.js";
import { startTestHost } from "../../../support/platform.js";
import type { ApiClient } from "./client.js";
import { until } from "../../../support/until.js";

/** A host whose work takes so much longer than life that a process can be ended in the middle of it. */
export const startSlowHost = (): Promise<RunningHost> =>
  startTestHost({ tokens: [{ id: "root@pam!panel", secret: SECRET }], timeFactor: 0.05 });

/** Adds the host by GraphQL. @returns its id */
export async function addHost(api: ApiClient, host: RunningHost): Promise<number> {
  const { hostname, port, user, tlsFingerprint } = connectionOf(host);
  const added = await api.graphql<{ addHost: { id: number; lastSyncError: string | null } }>(
    `mutation ($name: String!, $hostname: String!, $port: Int!, $user: String!, $tokenId: String!, $tokenSecret: String!, $tlsFingerprint: String) {
      addHost(name: $name, hostname: $hostname, port: $port, user: $user, tokenId: $tokenId, tokenSecret: $tokenSecret, tlsFingerprint: $tlsFingerprint) {
        id lastSyncError
      }
    }`,
    { name: host.name, hostname, port, user, tokenId: "panel", tokenSecret: SECRET, tlsFingerprint },
  );
  assert.equal(added.addHost.lastSyncError, null);
  return added.addHost.id;
}

/** Queues a container of this VMID by REST. @returns the job's id */
export async function createContainer(api: ApiClient, hostId: number, vmid: number): Promise<number> {
  const { status, data, error } = await api.rest("POST", `/hosts/${hostId}/guests`, {
    type: "lxc",
    node: "pvea",
    vmid,
    name: `box${vmid}.example.com`,
    cores: 1,
    memory_mb: 512,
    disk_gb: 1,
    os_template: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz",
    password: "Init-Pass1",
  });
  assert.equal(status, 202, error ?? "");
  return numberAt(data, "job_id");
}

interface JobState {
  readonly status: string;
  readonly error: string | null;
}

/** Polls a job by REST until it has ended. */
export async function endOfJob(api: ApiClient, hostId: number, jobId: number): Promise<JobState> {
  return until(`job ${jobId} has ended`, async () => {
    const { status, data } = await api.rest("GET", `/hosts/${hostId}/jobs/${jobId}`);
    assert.equal(status, 200);
    assert.ok(isJobState(data));
    const hasEnded = data.status === "done" || data.status === "failed";
    return hasEnded ? { status: data.status, error: data.error } : null;
  });
}

/** Waits until the platform works on a task of this type. */
export async function untilTaskRuns({ platform }: RunningHost, type: string): Promise<void> {
  const isRunning = () => platform.tasks.active().some((task) => task.type === type && task.endtime === null);
  await until(`${type} runs`, isRunning);
}

const isJobState = (data: unknown): data is JobState => typeof data === "object" && data !== null && "status" in data;

function numberAt(data: unknown, key: string): number {
  assert.ok(typeof data === "object" && data !== null);
  const value: unknown = Reflect.get(data, key);
  assert.ok(typeof value === "number");
  return value;
}
