// The records that a read can require: hosts, nodes, zones, tasks, users.
import { UserRole } from "../../core/enums.js";
import { isNodeName, vmidOrNull } from "../../core/names.js";
import { validationError, notFound } from "../../errors/errors.js";
import { oneRequired, type Requirement } from "../engine/requirement.js";
import { jobs } from "./job.js";
import { visibleGuest, visibleHost, visibleNode, visibleUser } from "./visibility.js";

/** The host must be there. */
export const hostExists = (hostId: number): Requirement =>
  oneRequired({
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
  oneRequired({
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
  oneRequired({
    refusal: () => notFound(`IP zone ${zoneId}`),
    exists(viewer, parameters) {
      const visible = visibleHost("needed_zone.host_id", viewer, parameters.bind) ?? "true";
      return `exists (select 1 from ip_zone needed_zone where needed_zone.id = ${parameters.value(zoneId)} and ${visible})`;
    },
  });

/** Resellers share nodes with others: of the tasks there they see those of guests and of jobs that they see. */
export const taskIsOwn = (hostId: number, upid: string): Requirement =>
  oneRequired({
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
  oneRequired({
    refusal: () => notFound(`User ${userId}`),
    exists(viewer, parameters) {
      const visible = visibleUser("needed_user", viewer, parameters.bind) ?? "true";
      return `exists (select 1 from user_account needed_user where needed_user.id = ${parameters.value(userId)} and ${visible})`;
    },
  });
