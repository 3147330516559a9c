// Endpoints that follow long work: jobs of the service, tasks of the platform.
import { hostId } from "../fields.js";
import { nodeName, positive, text } from "../kinds.js";
import type { Route } from "../route.js";

export const jobRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/hosts/{id}/jobs/{job_id}",
    summary: "A job of the host",
    fields: [hostId, { name: "job_id", in: "path", kind: positive, variable: "jobId", description: "Id of the job" }],
    rawJson: true,
    document: `query Job($hostId: Int!, $jobId: Int!) {
      data: job(id: $jobId, hostId: $hostId) {
        id kind status error host_id: hostId node vmid progress step
        created_at: createdAt started_at: startedAt finished_at: finishedAt
      }
    }`,
  },
  {
    method: "GET",
    path: "/hosts/{id}/tasks/{node}/{upid}",
    summary: "A task of the platform, as its node reports it now",
    fields: [
      hostId,
      { name: "node", in: "path", kind: nodeName, variable: "node", description: "Name of the node that runs it" },
      { name: "upid", in: "path", kind: text, variable: "upid", description: "Id of the task, URL-encoded" },
    ],
    mayFailWith: ["platform"],
    document: `query Task($hostId: Int!, $node: String!, $upid: String!) {
      data: task(hostId: $hostId, node: $node, upid: $upid) {
        upid node type target_id: targetId user status exit_status: exitStatus started_at: startedAt ended_at: endedAt
      }
    }`,
  },
];
