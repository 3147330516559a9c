// Checks that a record exists, so that an empty list is told apart from the list of an unknown host.
import type { Viewer } from "../access/viewer.js";
import type { Context } from "../context/context.js";
import { UserRole } from "../core/enums.js";
import { isNodeName, vmidOrNull } from "../core/names.js";
import { validationError, notFound, type DroverError } from "../errors/errors.js";
import { jobs } from "./models/job.js";
import { readJson } from "./engine/json.js";
import { Parameters } from "./engine/statement.js";
import { visibleGuest, visibleHost, visibleNode, visibleUser } from "./models/visibility.js";

/** Records that must be there and visible to the viewer; checked in the statement that reads the list. */
export interface Requirement {
  /** SQL of the first that is not there, as text; null when all are. */
  missing(viewer: Viewer, parameters: Parameters): string;
  /** What is said of it. */
  refusal(missing: string): DroverError;
}

/** One record that must be there. */
interface OneRequired {
  /** SQL that holds when it is there. */
  exists(viewer: Viewer, parameters: Parameters): string;
  /** What is said when it is not. */
  refusal(): DroverError;
}

const one = (required: OneRequired): Requirement => ({
  refusal: () => required.refusal(),
  missing: (viewer, parameters) => `case when not ${required.exists(viewer, parameters)} then '' end`,
});

/** The host must be there. */
export const hostExists = (hostId: number): Requirement =>
  one({
    refusal: () => notFound(`Host ${hostId}`),
    exists(viewer, parameters) {
      const visible = visibleHost("needed_host.id", viewer, parameters.bind) ?? "true";
      return `exists (select 1 from host needed_host where needed_host.id = ${parameters.value(hostId)} and ${visible})`;
    },
  });

/** All of these hosts must be there; however many they are, they are one parameter and one condition. */
export const hostsExist = (hostIds: readonly number[]): Requirement => ({
  refusal: (hostId) => notFound(`Host ${hostId}`),
  missing(viewer, parameters) {
    const visible = visibleHost("needed_host.id", viewer, parameters.bind) ?? "true";
    return `(select wanted.id::text from unnest(${parameters.value(hostIds)}::int[]) with ordinality as wanted (id, place)
      where not exists (select 1 from host needed_host where needed_host.id = wanted.id and ${visible}) order by wanted.place limit 1)`;
  },
});

/** The host must have a node of this name; a name that no node can have is refused as malformed, once the host is known. */
export const nodeExists = (hostId: number, name: string): Requirement =>
  one({
    refusal: () =>
      isNodeName(name)
        ? notFound(`Node ${name}`)
        : validationError([{ field: "node", message: "must be a node name (a DNS label)" }]),
    exists(viewer, parameters) {
      const visible = visibleNode("needed_node", viewer, parameters.bind) ?? "true";
      return `exists (select 1 from node needed_node where needed_node.host_id = ${parameters.value(hostId)} and needed_node.name = ${parameters.value(name)} and ${visible})`;
    },
  });

/** The IP zone must be there. */
export const zoneExists = (zoneId: number): Requirement =>
  one({
    refusal: () => notFound(`IP zone ${zoneId}`),
    exists(viewer, parameters) {
      const visible = visibleHost("needed_zone.host_id", viewer, parameters.bind) ?? "true";
      return `exists (select 1 from ip_zone needed_zone where needed_zone.id = ${parameters.value(zoneId)} and ${visible})`;
    },
  });

/** Resellers share nodes with others: of the tasks there they see those of guests and of jobs that they see. */
export const taskIsOwn = (hostId: number, upid: string): Requirement =>
  one({
    refusal: () => notFound(`Task ${upid}`),
    exists(viewer, parameters) {
      if (viewer.kind !== "user" || viewer.role !== UserRole.RESELLER) return "true";
      const { bind } = parameters;
      const [host, task, vmid] = [hostId, upid, vmidOrNull(upid.split(":")[VMID_PLACE])].map((value) =>
        parameters.value(value),
      );
      const ofGuest = `exists (select 1 from guest own_guest where own_guest.host_id = ${host}::int and own_guest.vmid = ${vmid}::int and ${visibleGuest("own_guest", viewer, bind)})`;
      const ofJob = `exists (select 1 from job own_job where own_job.host_id = ${host}::int and ${task}::text = any(own_job.upids) and ${jobs.visible("own_job", viewer, bind) ?? "true"})`;
      return `(${ofGuest} or ${ofJob})`;
    },
  });

/** Of the fields of a task's id, `UPID:<node>:<pid>:<start>:<time>:<type>:<id>:<user>:`. */
const VMID_PLACE = 6;

/** The user must be there. */
export const userExists = (userId: number): Requirement =>
  one({
    refusal: () => notFound(`User ${userId}`),
    exists(viewer, parameters) {
      const visible = visibleUser("needed_user", viewer, parameters.bind) ?? "true";
      return `exists (select 1 from user_account needed_user where needed_user.id = ${parameters.value(userId)} and ${visible})`;
    },
  });

/** What each requirement misses, in their order; null: there were none. */
export type Missing = readonly (string | null)[] | null;

/** SQL of {@link Missing}. */
export const missingSql = (requirements: readonly Requirement[], viewer: Viewer, parameters: Parameters): string =>
  requirements.length === 0
    ? "null"
    : `json_build_array(${requirements.map((each) => each.missing(viewer, parameters)).join(", ")})`;

/** @throws DroverError the refusal of the first requirement that is not met */
export function refuseMissing(requirements: readonly Requirement[], missing: Missing): void {
  for (const [place, requirement] of requirements.entries()) {
    const first = missing?.[place] ?? null;
    if (first !== null) throw requirement.refusal(first);
  }
}

/** Checks by a statement of its own: for when there is no list to read. @throws DroverError the first refusal */
export async function requireAll(context: Context, requirements: readonly Requirement[]): Promise<void> {
  if (requirements.length === 0) return;
  const { viewer } = context;
  const parameters = new Parameters();
  const sql = `select json_build_object('missing', ${missingSql(requirements, viewer, parameters)})::text as json`;
  const values = parameters.values({ viewer, now: context.clock.now(), variables: {} });
  const { missing } = await readJson<{ missing: Missing }>(context, sql, values);
  refuseMissing(requirements, missing);
}
