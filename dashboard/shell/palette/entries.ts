// Decides what the palette offers for a wish, in which order, and where each entry leads.
import type { NavigateOptions } from "@tanstack/react-router";

import type { SearchQuery, SearchWorkQuery } from "../../generated/documents.js";
import { DESTINATIONS } from "../navigation.js";
import type { SearchResult } from "./useFound.js";
import type { Verb, Wish } from "./wish.js";
import { texts as common } from "../../texts/common.js";
import { texts } from "../../texts/palette.js";
import { jobKindText, roleText } from "../../texts/terms.js";

export interface Entry {
  readonly key: string;
  readonly label: string;
  /** What tells it from others of the same name. */
  readonly hint?: string;
  readonly status?: { readonly value: string; readonly work: boolean };
  /** Keys that lead there too. */
  readonly keys?: string;
  readonly link: Pick<NavigateOptions, "to" | "params" | "search">;
}

export interface EntryGroup {
  readonly title: string;
  readonly entries: readonly Entry[];
}

type FoundHost = SearchQuery["hosts"]["items"][number];
type FoundNode = SearchQuery["nodes"]["items"][number];
type FoundGuest = SearchQuery["guests"]["items"][number];

/** An address is whole from here on: four parts, or one with a double colon or eight. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:.]*:[\da-f.]*)$/;

/** What begins like a page or names an action comes first, then what was found, then pages that merely have the text in their name. */
export function entryGroups(wish: Wish, found: SearchResult): EntryGroup[] {
  const pages = DESTINATIONS.filter(({ label }) => label.toLowerCase().includes(wish.text));
  const [meant, others] = wish.text === "" ? [pages, []] : parted(pages, wish.text);
  const work = group(texts.groups.work, workEntries(wish, found.work));
  const isNamedWork = wish.work !== null && wish.text !== String(wish.work.id);
  return [
    group(texts.groups.pages, meant.map(page)),
    group(texts.groups.actions, meantActions(wish, found.records)),
    ...(isNamedWork ? [work] : []),
    ...(found.records === undefined ? [] : recordGroups(found.records, wish)),
    ...(isNamedWork ? [] : [work]),
    group(texts.groups.addresses, ADDRESS.test(wish.text) ? [address(wish.text)] : []),
    group(texts.groups.morePages, others.map(page)),
  ].filter(({ entries }) => entries.length > 0);
}

/** Those whose name begins with the text, and the others. */
const parted = (pages: typeof DESTINATIONS, text: string): [typeof DESTINATIONS, typeof DESTINATIONS] => {
  const begins = ({ label }: (typeof DESTINATIONS)[number]): boolean => label.toLowerCase().startsWith(text);
  return [pages.filter(begins), pages.filter((place) => !begins(place))];
};

const group = (title: string, entries: readonly Entry[]): EntryGroup => ({ title, entries });

const page = ({ to, label, key }: (typeof DESTINATIONS)[number]): Entry => ({
  key: `page ${to}`,
  label,
  keys: `g ${key}`,
  link: { to },
});

const address = (text: string): Entry => ({
  key: `address ${text}`,
  label: texts.addressHistory(text),
  link: { to: "/ip-addresses/$address", params: { address: text } },
});

function recordGroups({ hosts, nodes, guests, users, plans, ipZones }: SearchQuery, wish: Wish): EntryGroup[] {
  const { search } = wish;
  return [
    listed(texts.groups.hosts, hosts, host, { to: "/hosts", search: { search } }),
    group(texts.groups.actions, wish.verb === null ? hostActions(hosts.items, search) : []),
    listed(texts.groups.nodes, nodes, node),
    listed(texts.groups.guests, { ...guests, items: exactFirst(guests.items, search) }, guest, {
      to: "/guests",
      search: { search },
    }),
    listed(texts.groups.users, users, user, { to: "/users", search: { search } }),
    listed(texts.groups.plans, plans, ({ id, name }) => ({ key: `plan ${id}`, label: name, link: { to: "/plans" } })),
    listed(texts.groups.ipZones, ipZones, ({ id, hostId, name, cidr }) => ({
      key: `zone ${id}`,
      label: name,
      hint: cidr,
      link: { to: "/ip-zones", search: { hostId, zoneId: id } },
    })),
  ];
}

type GroupTexts = typeof texts.groups.hosts;

interface Page<Record> {
  readonly items: readonly Record[];
  readonly meta: { readonly total: number };
}

/** The first records and, where there are more and a page lists them, the way to all. */
function listed<Record>(
  { title, partOf, all: allOf }: GroupTexts,
  { items, meta }: Page<Record>,
  entryOf: (record: Record) => Entry,
  all?: Entry["link"],
): EntryGroup {
  const entries = items.map(entryOf);
  if (meta.total <= items.length) return group(title, entries);
  const told = partOf(items.length, meta.total);
  if (all === undefined) return group(told, entries);
  const rest = { key: `all ${title}`, label: allOf(meta.total), link: all };
  return group(told, [...entries, rest]);
}

const host = ({ id, name, hostname, active, maintenance }: FoundHost): Entry => ({
  key: `host ${id}`,
  label: name,
  hint: [hostname, ...(active ? [] : [texts.disabled]), ...(maintenance ? [texts.inMaintenance] : [])].join(" · "),
  link: { to: "/hosts/$hostId", params: { hostId: String(id) } },
});

const nodeName = ({ name, host: { name: hostName } }: FoundNode): string => common.hostAndNode(hostName, name);

const node = (found: FoundNode): Entry => ({
  key: `node ${found.hostId}/${found.name}`,
  label: nodeName(found),
  status: { value: found.status, work: false },
  link: { to: "/hosts/$hostId/nodes/$node", params: { hostId: String(found.hostId), node: found.name } },
});

const guestParams = ({ hostId, type, vmid }: FoundGuest) => ({
  hostId: String(hostId),
  type: type.toLowerCase(),
  vmid: String(vmid),
});

const guestHint = ({ vmid, host: of, node: on, ipAddresses, owner }: FoundGuest): string =>
  [
    String(vmid),
    [of?.name, on].filter(Boolean).join(" / "),
    ...ipAddresses.slice(0, 1),
    ...(owner === null ? [] : [owner.username]),
  ].join(" · ");

const guest = (found: FoundGuest): Entry => ({
  key: `guest ${found.id}`,
  label: found.name,
  hint: guestHint(found),
  status: { value: found.status, work: false },
  link: { to: "/guests/$hostId/$type/$vmid", params: guestParams(found) },
});

const user = ({ id, username, email, role }: SearchQuery["users"]["items"][number]): Entry => ({
  key: `user ${id}`,
  label: username,
  hint: `${email} · ${roleText(role)}`,
  link: { to: "/users/$id", params: { id: String(id) } },
});

/** Whose name or VMID the text is comes before those that merely contain it. */
const exactFirst = (guests: readonly FoundGuest[], text: string): readonly FoundGuest[] => {
  const isExact = ({ name, vmid }: FoundGuest): boolean => name.toLowerCase() === text || String(vmid) === text;
  return [...guests.filter(isExact), ...guests.filter((each) => !isExact(each))];
};

/** What an operator would do with the host that is meant: the only one that was found, or the one of this very name. */
function hostActions(hosts: readonly FoundHost[], text: string): Entry[] {
  const meant = hosts.length === 1 ? hosts : hosts.filter(({ name }) => name.toLowerCase() === text);
  return meant.flatMap((each) => [evacuateHost(each), createOn(each)]);
}

/** With a verb, that action on everything it fits. */
function meantActions({ text, verb, search }: Wish, records: SearchQuery | undefined): Entry[] {
  if (verb === null) return [];
  return text === search ? ALONE[verb] : withVerb(verb, records);
}

function withVerb(verb: Verb, records: SearchQuery | undefined): Entry[] {
  const { hosts, nodes, guests } = records ?? {};
  if (verb === "move") return (guests?.items ?? []).map(moveGuest);
  if (verb === "create") return (hosts?.items ?? []).map(createOn);
  return [...(hosts?.items ?? []).map(evacuateHost), ...(nodes?.items ?? []).map(evacuateNode)];
}

/** What a verb alone leads to. */
const ALONE: Readonly<Record<Verb, Entry[]>> = {
  evacuate: [{ key: "evacuate", label: texts.evacuateHost, link: { to: "/evacuations/new" } }],
  move: [],
  create: [{ key: "create", label: texts.newGuest, link: { to: "/guests/new" } }],
};

const evacuateHost = ({ id, name }: FoundHost): Entry => ({
  key: `evacuate host ${id}`,
  label: texts.evacuate(name),
  hint: texts.evacuateHint,
  link: { to: "/evacuations/new", search: { hostId: id } },
});

const evacuateNode = (found: FoundNode): Entry => ({
  key: `evacuate node ${found.hostId}/${found.name}`,
  label: texts.evacuate(nodeName(found)),
  hint: texts.evacuateHint,
  link: { to: "/evacuations/new", search: { hostId: found.hostId, node: found.name } },
});

const createOn = ({ id, name }: FoundHost): Entry => ({
  key: `create on ${id}`,
  label: texts.newGuestOn(name),
  link: { to: "/guests/new", search: { hostId: id } },
});

const moveGuest = (found: FoundGuest): Entry => ({
  key: `move ${found.id}`,
  label: texts.migrate(found.name),
  hint: guestHint(found),
  link: { to: "/guests/$hostId/$type/$vmid/move", params: guestParams(found) },
});

function workEntries({ work: wanted }: Wish, found: SearchWorkQuery | undefined): Entry[] {
  if (wanted === null || found === undefined) return [];
  const { jobs, migrations, evacuations, balanceRuns } = found;
  const entries = {
    job: jobs.items.map(({ id, kind, vmid, status }) => ({
      ...workEntry(texts.job(id), status, { to: "/jobs/$id", params: { id: String(id) } }),
      hint: vmid === null ? jobKindText(kind) : `${jobKindText(kind)} ${vmid}`,
    })),
    migration: migrations.items.map(({ id, guestName, status }) => ({
      ...workEntry(texts.migration(id), status, { to: "/migrations/$id", params: { id: String(id) } }),
      hint: guestName,
    })),
    evacuation: evacuations.items.map(({ id, status }) =>
      workEntry(texts.evacuation(id), status, { to: "/evacuations/$id", params: { id: String(id) } }),
    ),
    balanceRun: balanceRuns.items.map(({ id, status }) =>
      workEntry(texts.balanceRun(id), status, { to: "/balance/$id", params: { id: String(id) } }),
    ),
  };
  return wanted.kinds.flatMap((kind): Entry[] => entries[kind]);
}

const workEntry = (label: string, status: string, link: Entry["link"]): Entry => ({
  key: label,
  label,
  status: { value: status, work: true },
  link,
});
