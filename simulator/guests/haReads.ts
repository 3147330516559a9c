// Answers what high availability manages, and in what state its manager, its nodes and its guests are.
import { createHash } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isQuorate } from "../state/quorum.js";
import { atLeast } from "../version.js";

type Row = Record<string, unknown>;

/** States that can be asked for; a guest in any other is on its way to `started`. */
const requestable: ReadonlySet<string | null> = new Set(["started", "stopped", "disabled", "ignored"]);

const kindOf = ({ type }: Guest): string => (type === "qemu" ? "vm" : "ct");
const sidOf = (guest: Guest): string => `${kindOf(guest)}:${guest.vmid}`;
const requestedState = ({ hastate }: Guest): string => (requestable.has(hastate) ? (hastate ?? "") : "started");

function managedGuests({ platform }: Call): Guest[] {
  return [...platform.state.guests.values()]
    .filter(({ hastate }) => hastate !== null)
    .toSorted((a, b) => (sidOf(a) < sidOf(b) ? -1 : 1));
}

/** `GET /cluster/ha/resources`. */
export function listResources(call: Call): ApiAnswer {
  const type = call.parameters.optional("type");
  return answer(resourceRows(call).filter((row) => type === undefined || row.type === type));
}

/** `GET /cluster/ha/resources/{sid}`: `vm:100`, or the number alone. */
export function readResource(call: Call): ApiAnswer {
  const sid = fullSid(call, call.parameters.text("sid"));
  const found = resourceRows(call).find((row) => row.sid === sid);
  if (found === undefined) throw failure(`no such resource '${sid}'`);
  return answer(found);
}

function fullSid({ platform }: Call, sid: string): string {
  if (/^\S+:\S+$/.test(sid)) return sid;
  if (!/^\d+$/.test(sid)) throw failure(`unable to parse service id '${sid}'`);
  const guest = platform.state.guests.get(Number(sid));
  if (guest === undefined) throw failure(`unable do add resource - VM/CT ${sid} does not exist`);
  return sidOf(guest);
}

/** Each row has the digest of the file that they all are in. */
function resourceRows(call: Call): (Row & { sid: string; type: string })[] {
  const rows = managedGuests(call).map((guest) => ({
    sid: sidOf(guest),
    type: kindOf(guest),
    state: requestedState(guest),
  }));
  const digest = createHash("sha1").update(JSON.stringify(rows)).digest("hex");
  return rows.map((row) => ({ ...row, digest }));
}

/** `GET /cluster/ha/status/current`: a manager runs only where there is something to manage. */
export function currentStatus(call: Call): ApiAnswer {
  const { state, release } = call.platform;
  const here = call.answeringNode;
  const quorate = isQuorate(state);
  const guests = managedGuests(call);
  const armed = guests.length > 0;
  const quorum = {
    id: "quorum",
    type: "quorum",
    node: here,
    status: quorate ? "OK" : `No quorum on node '${here}'!`,
    quorate: quorate ? 1 : 0,
  };
  const fencing = {
    id: "fencing",
    type: "fencing",
    node: here,
    status: armed ? "armed (CRM watchdog active)" : "standby (CRM watchdog standby)",
    "armed-state": armed ? "armed" : "standby",
  };
  return answer([
    quorum,
    ...(armed ? [masterRow(call)] : []),
    ...(atLeast(release, "9.2") ? [fencing] : []),
    ...(armed ? nodeRows(call, guests) : []),
    ...guests.map((guest) => guestRow(call, guest)),
  ]);
}

function masterRow(call: Call): Row {
  const { state, clock } = call.platform;
  const master = [...state.nodes.values()].find(({ online }) => online)?.name ?? call.answeringNode;
  const timestamp = clock.seconds();
  return {
    id: "master",
    type: "master",
    node: master,
    status: `${master} (active, ${localTime(timestamp)})`,
    timestamp,
  };
}

function nodeRows(call: Call, guests: readonly Guest[]): Row[] {
  const { state, clock, release } = call.platform;
  const timestamp = clock.seconds();
  return [...state.nodes.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, online }) => {
      const busy = guests.some((guest) => guest.node === name);
      const watchdog = atLeast(release, "9.2") ? `, watchdog ${busy ? "active" : "standby"}` : "";
      const status = online ? `${busy ? "active" : "idle"}${watchdog}` : "old timestamp - dead?";
      return {
        id: `lrm:${name}`,
        type: "lrm",
        node: name,
        status: `${name} (${status}, ${localTime(timestamp)})`,
        timestamp,
      };
    });
}

function guestRow({ platform }: Call, guest: Guest): Row {
  const sid = sidOf(guest);
  return {
    id: `service:${sid}`,
    type: "service",
    sid,
    node: guest.node,
    state: guest.hastate,
    crm_state: guest.hastate,
    request_state: requestedState(guest),
    status: `${sid} (${guest.node}, ${guest.hastate})`,
    max_relocate: 1,
    max_restart: 1,
    ...(atLeast(platform.release, "9.2") ? { failback: 1 } : {}),
  };
}

/** As `localtime` prints it: `Sun Nov 29 09:05:00 2026`. */
function localTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  const [weekday, month, day, year] = date.toDateString().split(" ");
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${date.toTimeString().slice(0, 8)} ${year}`;
}
