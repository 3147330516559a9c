// Decides how the overview tells what needs attention: in which words, how urgent it is, and where it is dealt with.
import type { LinkProps } from "@tanstack/react-router";
import { ago, percent } from "../../format.js";
import type { AlertCode, OverviewQuery } from "../../generated/documents.js";
import { texts as common } from "../../texts/common.js";
import { texts } from "../../texts/overview.js";

export interface PanelAlert {
  readonly key: string;
  readonly severity: "bad" | "note";
  readonly subject: string;
  readonly text: string;
  readonly link: Pick<LinkProps, "to" | "params" | "search">;
}

type Host = OverviewQuery["notInUse"]["items"][number];
type HotNode = OverviewQuery["hotNodes"]["items"][number];
type UnhealthyNode = OverviewQuery["unhealthyAgents"]["items"][number];
type ServiceAlert = OverviewQuery["alerts"]["items"][number];
type NameOf = (hostId: number) => string;

/** From here on the service itself alerts of an inventory that is old, milliseconds. */
const ALERTED_MS = 300_000;

const SEVERITY: Readonly<Record<AlertCode, PanelAlert["severity"]>> = {
  NODE_OFFLINE: "bad",
  AGENT_STALE: "bad",
  INVENTORY_STALE: "bad",
  HOST_CONNECTED_TWICE: "bad",
  MIGRATION_FAILED: "bad",
  DUTY_UNATTENDED: "bad",
  TASK_OVERDUE: "bad",
  GUEST_REPLACED: "bad",
  REQUEST_LOG_BUDGET: "bad",
  GUEST_OVER_PLAN: "note",
  GUEST_PAST_RUNTIME: "note",
};

/** Hosts that cannot be read, and hot nodes: what the service's own list does not have. */
export const urgentAlerts = ({ notInUse, hotNodes }: OverviewQuery, now: number): PanelAlert[] => [
  ...notInUse.items.flatMap((host) => unreadable(host, now)),
  ...hotNodes.items.map(hot),
];

/** What somebody did on purpose, or what can wait. */
export const notes = ({ notInUse, unhealthyAgents }: OverviewQuery, now: number): PanelAlert[] => [
  ...notInUse.items.flatMap((host) => setApart(host, now)),
  ...unhealthyAgents.items.map(unhealthy),
];

const hostLink = (id: number) => ({ to: "/hosts/$hostId", params: { hostId: String(id) } }) as const;
const nodeLink = (hostId: number, node: string) =>
  ({ to: "/hosts/$hostId/nodes/$node", params: { hostId: String(hostId), node } }) as const;

function unreadable({ id, name, active, lastSyncAt, lastSyncError }: Host, now: number): PanelAlert[] {
  if (!active || lastSyncError === null) return [];
  if (lastSyncAt !== null && now - Date.parse(lastSyncAt) > ALERTED_MS) return [];
  const since = lastSyncAt === null ? texts.alert.neverSynced : texts.alert.lastSync(ago(lastSyncAt, now));
  const text = texts.alert.unreachable(since, lastSyncError);
  return [{ key: `host-${id}`, severity: "bad", subject: name, text, link: hostLink(id) }];
}

function setApart({ id, name, active, maintenance, maintenanceSince }: Host, now: number): PanelAlert[] {
  const note = { severity: "note", subject: name, link: hostLink(id) } as const;
  if (!active) return [{ ...note, key: `inactive-${id}`, text: texts.alert.disabled }];
  if (!maintenance) return [];
  const text =
    maintenanceSince === null ? texts.alert.maintenance : texts.alert.maintenanceSince(ago(maintenanceSince, now));
  return [{ ...note, key: `maintenance-${id}`, text }];
}

const hot = ({ hostId, name, host, cpuAverage30m, memoryUsedMb, memoryMb }: HotNode): PanelAlert => ({
  key: `hot-${hostId}-${name}`,
  severity: "bad",
  subject: common.hostAndNode(host.name, name),
  text: texts.alert.overloaded(percent(cpuAverage30m), percent(memoryUsedMb / memoryMb)),
  link: nodeLink(hostId, name),
});

const unhealthy = ({ hostId, name, host }: UnhealthyNode): PanelAlert => ({
  key: `unhealthy-${hostId}-${name}`,
  severity: "note",
  subject: common.hostAndNode(host.name, name),
  text: texts.alert.agentUnhealthy,
  link: nodeLink(hostId, name),
});

/** An alert of the service's own list. */
export function toldAlert(told: ServiceAlert, nameOf: NameOf, now: number): PanelAlert {
  const { code, message, hostId, node, guestId, vmid, migrationId, since } = told;
  const place = [hostId === null ? texts.alert.service : nameOf(hostId), node].filter(Boolean).join(" / ");
  return {
    key: [code, hostId, node, guestId, migrationId, hostId === null ? message : ""].join("-"),
    severity: SEVERITY[code],
    subject: vmid === null ? place : texts.alert.place(place, vmid),
    text: since === null ? message : texts.alert.withAge(message, ago(since, now)),
    link: linkOf(told),
  };
}

function linkOf({ hostId, node, vmid, migrationId }: ServiceAlert): PanelAlert["link"] {
  if (migrationId !== null) return { to: "/migrations/$id", params: { id: String(migrationId) } };
  if (hostId === null) return { to: "/settings" };
  if (vmid !== null) return { to: "/guests", search: { hostId, search: String(vmid) } };
  return node === null ? hostLink(hostId) : nodeLink(hostId, node);
}
