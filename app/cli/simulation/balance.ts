// `drover simulate balance`: the balance report on a described world, by the rules that the service uses.
import type { MovableGuest } from "../../../src/core/migration/movableGuest.js";
import type { Load } from "../../../src/core/balance/load.js";
import type { BalanceReport, Suggestion } from "../../../src/core/balance/report.js";
import { suggestMoves } from "../../../src/core/balance/suggest.js";
import { GuestStatus, GuestType } from "../../../src/core/enums.js";
import { firstObstacle } from "../../../src/core/migration/check.js";
import { GUEST_CHECKS } from "../../../src/core/migration/guestChecks.js";
import { NO_TRAITS, type GuestTraits } from "../../../src/core/migration/guestTraits.js";
import type { Snapshot } from "../../../src/core/placement/snapshot.js";
import { accepted, refused, type Checked, type Problem } from "../../../src/core/problem.js";
import { ANY_AMOUNT, COUNT, JsonReader, POSITIVE_COUNT } from "./jsonReader.js";
import { readSettings } from "./settings.js";
import { readSnapshot } from "./snapshot.js";

/** The balance report as the command prints it; loads in percent. */
interface SimulatedBalance {
  readonly hot: readonly object[];
  readonly suggestions: readonly object[];
  readonly skipped: readonly object[];
  readonly hot_after: number;
}

/** @returns the report; refused, with every bad field named by its path, when the input cannot be understood. */
export function simulateBalance(json: unknown): Checked<SimulatedBalance> {
  const problems: Problem[] = [];
  const input = new JsonReader(json, "", problems);
  const snapshot = readSnapshot(input);
  const settings = readSettings(input);
  const guests = readGuests(input, snapshot);
  return problems.length > 0 ? refused(...problems) : accepted(describe(suggestMoves(snapshot, guests, settings)));
}

function readGuests(input: JsonReader, { nodes }: Snapshot): MovableGuest[] {
  const known = new Set(nodes.map(({ host, name }) => `${host.id}/${name}`));
  return input.list("guests", (item) => {
    const guest = readGuest(item);
    if (!known.has(`${guest.hostId}/${guest.node}`)) {
      item.refuse("node", `${guest.node} of host ${guest.hostId} is no node of the input`);
    }
    return guest;
  });
}

const readGuest = (guest: JsonReader): MovableGuest => ({
  hostId: guest.number("host_id", POSITIVE_COUNT),
  node: guest.text("node"),
  vmid: guest.number("vmid", POSITIVE_COUNT),
  type: guest.oneOf("type", [GuestType.QEMU, GuestType.LXC]),
  running: guest.text("status") === GuestStatus.RUNNING,
  cores: guest.number("cores", ANY_AMOUNT),
  memoryMb: guest.number("memory_mb", ANY_AMOUNT),
  diskGb: guest.number("disk_gb", ANY_AMOUNT),
  storage: null,
  memoryUsedMb: guest.number("mem_used_mb", ANY_AMOUNT, 0),
  coresUsed: guest.number("cpu_use", ANY_AMOUNT, 0),
  obstacle: firstObstacle(GUEST_CHECKS, readTraits(guest))?.message ?? null,
});

/** The input says that there are snapshots, devices and so on, but not which. */
function readTraits(guest: JsonReader): GuestTraits {
  const named = (field: string): string[] => (guest.flagOrCount(field) > 0 ? [field] : []);
  return {
    ...NO_TRAITS,
    template: guest.flag("template", false),
    safetyCopy: guest.flag("safety_copy", false),
    busyWith: guest.flag("busy", false) ? "another task" : null,
    snapshots: named("snapshots"),
    pciDevices: named("passthrough"),
    mountedMedia: named("iso"),
    rootOnlySettings: named("superuser_settings"),
    panelAddresses: guest.number("panel_ips", COUNT, 0),
  };
}

const describe = ({ hotNodes, suggestions, skipped, hotAfter }: BalanceReport): SimulatedBalance => ({
  hot: hotNodes.map(({ hostId, node }) => ({ host_id: hostId, node })),
  suggestions: suggestions.map(describeSuggestion),
  skipped: skipped.map(({ guest, reason }) => ({ host_id: guest.hostId, vmid: guest.vmid, reason })),
  hot_after: hotAfter,
});

const describeSuggestion = ({ guest, toHostId, toNode, toStorage, sourceAfter, targetAfter }: Suggestion) => ({
  host_id: guest.hostId,
  vmid: guest.vmid,
  from: { host_id: guest.hostId, node: guest.node },
  to: { host_id: toHostId, node: toNode, storage: toStorage },
  source_after: inPercent(sourceAfter),
  target_after: inPercent(targetAfter),
});

const inPercent = ({ ram, cpu }: Load) => ({ ram: round(ram * 100), cpu: cpu === null ? null : round(cpu * 100) });

const round = (value: number): number => Math.round(value * 1e6) / 1e6;
