// Texts of the command palette.
import { count, grouped } from "../format.js";

/** A group of found records: its title, also when there are more than are listed, and the way to all of them. */
const group = (title: string, noun: string) => ({
  title,
  partOf: (listed: number, total: number): string => `${title} · ${listed} of ${grouped(total)}`,
  all: (total: number): string => `All ${grouped(total)} matching ${noun}`,
});

export const texts = {
  label: "Search",
  placeholder: "Name, VMID, IP address, owner, or “evacuate” and a host",
  results: "Results",
  searching: "Searching…",
  failed: (message: string): string => `Search failed: ${message}`,
  noResults: "No results",
  count: (many: number): string => count(many, "result"),
  groups: {
    work: "Jobs and migrations",
    pages: "Pages",
    morePages: "More pages",
    actions: "Actions",
    addresses: "IP addresses",
    hosts: group("Hosts", "hosts"),
    nodes: group("Nodes", "nodes"),
    guests: group("Guests", "guests"),
    users: group("Users", "users"),
    plans: group("Plans", "plans"),
    ipZones: group("IP zones", "IP zones"),
  },
  addressHistory: (address: string): string => `History of ${address}`,
  disabled: "disabled",
  inMaintenance: "in maintenance mode",
  evacuateHost: "Evacuate host",
  evacuate: (name: string): string => `Evacuate ${name}`,
  evacuateHint: "select guests, then start",
  newGuest: "New guest",
  newGuestOn: (host: string): string => `New guest on ${host}`,
  migrate: (guest: string): string => `Migrate ${guest}`,
  job: (id: number): string => `Job ${id}`,
  migration: (id: number): string => `Migration ${id}`,
  evacuation: (id: number): string => `Evacuation ${id}`,
  balanceRun: (id: number): string => `Balance run ${id}`,
};
