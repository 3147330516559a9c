// Decides what on the overview needs attention: urgent things first, each with the place where it is dealt with.
import type { LinkProps } from "@tanstack/react-router";
import { ago, percent, span } from "../format.js";
import type { OverviewQuery } from "../generated/documents.js";

export interface PanelAlert {
  readonly key: string;
  readonly severity: "bad" | "note";
  readonly subject: string;
  readonly text: string;
  readonly link: Pick<LinkProps, "to" | "params"> | null;
}

type Host = OverviewQuery["hosts"]["items"][number];
type Node = Host["nodes"][number];

/** An inventory that is older than this is not to be relied on, seconds. */
export const STALE_SECONDS = 180;
/** Failures are news for this long, milliseconds. */
const NEWS_MS = 24 * 3_600_000;

export function alertsOf(data: OverviewQuery, now: number): PanelAlert[] {
  const ofHosts = data.hosts.items.flatMap((host) => [
    ...hostAlerts(host, now),
    ...host.nodes.flatMap((node) => nodeAlerts(host, node, now)),
  ]);
  const alerts = [...ofHosts, ...moveAlerts(data, now)];
  return [
    ...alerts.filter(({ severity }) => severity === "bad"),
    ...alerts.filter(({ severity }) => severity === "note"),
  ];
}

function hostAlerts(host: Host, now: number): PanelAlert[] {
  const link = { to: "/hosts/$hostId", params: { hostId: String(host.id) } } as const;
  const common = { key: `host-${host.id}`, subject: host.name, link };
  if (!host.active) return [{ ...common, severity: "note", text: "is not used: its connection is switched off." }];
  const age = host.lastSyncAt === null ? null : (now - Date.parse(host.lastSyncAt)) / 1000;
  const alerts: PanelAlert[] = [];
  if (host.lastSyncError !== null) {
    const since = host.lastSyncAt === null ? "never read" : `last read ${ago(host.lastSyncAt, now)}`;
    alerts.push({ ...common, severity: "bad", text: `cannot be read (${since}): ${host.lastSyncError}` });
  } else if (age === null || age > STALE_SECONDS) {
    const text = age === null ? "was never read." : `was last read ${span(age)} ago: what is shown may be old.`;
    alerts.push({ ...common, severity: "bad", text });
  }
  if (host.maintenance) {
    const began = host.maintenanceSince === null ? "" : `, turned on ${ago(host.maintenanceSince, now)}`;
    alerts.push({ ...common, key: `maintenance-${host.id}`, severity: "note", text: `is in maintenance${began}.` });
  }
  return alerts;
}

function nodeAlerts(host: Host, node: Node, now: number): PanelAlert[] {
  const params = { hostId: String(host.id), node: node.name };
  const subject = `${host.name} / ${node.name}`;
  const common = { subject, link: { to: "/hosts/$hostId/nodes/$node", params } as const };
  const key = `${host.id}-${node.name}`;
  if (node.status !== "ONLINE") {
    return [{ ...common, key: `node-${key}`, severity: "bad", text: `is ${node.status.toLowerCase()}.` }];
  }
  const alerts: PanelAlert[] = [];
  if (node.hot) {
    const figures = `CPU ${percent(node.cpuAverage30m)} over 30 minutes, RAM ${percent(node.memoryUsedMb / node.memoryMb)}`;
    alerts.push({ ...common, key: `hot-${key}`, severity: "bad", text: `is hot: ${figures}.` });
  }
  if (node.agent !== null && !node.agent.current) {
    const heard =
      node.agent.lastSeenAt === null ? "has never reported" : `last reported ${ago(node.agent.lastSeenAt, now)}`;
    alerts.push({ ...common, key: `agent-${key}`, severity: "bad", text: `has no current agent: it ${heard}.` });
  } else if (node.agent !== null && !node.agent.healthy) {
    alerts.push({
      ...common,
      key: `agent-${key}`,
      severity: "note",
      text: "has an agent that calls itself unhealthy.",
    });
  }
  return alerts;
}

const moveAlerts = ({ failedMigrations }: OverviewQuery, now: number): PanelAlert[] =>
  failedMigrations.items
    .filter(({ finishedAt }) => finishedAt !== null && now - Date.parse(finishedAt) < NEWS_MS)
    .map(({ id, guestName, error, retryable }) => ({
      key: `move-${id}`,
      severity: retryable ? "bad" : "note",
      subject: `Move of ${guestName}`,
      text: `failed${retryable ? ", it can be tried again" : ""}: ${error ?? "no reason is known"}`,
      link: { to: "/migrations/$id", params: { id: String(id) } } as const,
    }));
