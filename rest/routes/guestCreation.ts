// Endpoints that queue the creation of a guest.
import { keyProblems } from "../../src/access/keyProblems.js";
import { guestCreateProblems } from "../../src/core/guest/specification.js";
import { guestType, hostId, subjects } from "../fields.js";
import { positive, text, textList } from "../kinds.js";
import type { RequestField, Route } from "../route.js";
import type { Variables } from "../route.js";

const body = (name: string, variable: string, rest: Omit<RequestField, "name" | "in" | "variable">): RequestField => ({
  name,
  in: "body",
  variable: `input.${variable}`,
  ...rest,
});

/** What is installed on a guest, and how its owner gets in; a password or keys are needed. */
export const installation: readonly RequestField[] = [
  body("os_template", "osTemplate", {
    kind: text,
    description: "tpl:<template_id> for a virtual machine; the volume id of a template file for a container",
  }),
  body("lxc_template_id", "lxcTemplateId", {
    kind: positive,
    description: "Container template of the managed library",
  }),
  body("password", "password", { kind: text, description: "Initial password, at least 8 characters" }),
  body("ssh_keys", "sshKeys", {
    kind: textList,
    description: "OpenSSH public keys; the owner's stored keys count too",
  }),
];

const creation: readonly RequestField[] = [
  body("type", "type", { kind: guestType, required: true, description: "qemu or lxc" }),
  body("node", "node", { kind: text, whenAbsent: "", description: "Name of the node, or auto: placement chooses" }),
  body("name", "name", { kind: text, whenAbsent: "", description: "Name, a valid DNS name" }),
  body("plan_id", "planId", { kind: positive, description: "Plan that sets cores, memory and system disk" }),
  body("cores", "cores", { kind: positive, description: "CPU cores; needed without plan_id" }),
  body("memory_mb", "memoryMb", { kind: positive, description: "RAM, MiB; needed without plan_id" }),
  body("disk_gb", "diskGb", {
    kind: positive,
    description: "System disk, GiB, at least the template's min_disk_gb; needed without plan_id",
  }),
  ...installation,
  body("vmid", "vmid", { kind: positive, description: "A free VMID; may be left out when node is auto" }),
  body("owner_id", "ownerId", { kind: positive, description: "User who owns it" }),
  body("ip_source", "ipSource", {
    kind: text,
    description: "dhcp (when left out) or zone:<zone_id>: the next free address of that zone",
  }),
];

const QUEUED = "queued job_id: jobId vmid placement { host_id: hostId node storage explanation }";

/** The rules for what could be read, when something else could not. An owner may have keys: that is not known then. */
const problemsBeside =
  (hostGiven: boolean) =>
  ({ input }: Variables) => {
    const request = requestOf(input);
    const circumstances = { hostGiven, ownerHasKeys: request.ownerId !== undefined };
    return [...guestCreateProblems(request, circumstances), ...keyProblems(request.sshKeys)];
  };

function requestOf(input: unknown): Parameters<typeof guestCreateProblems>[0] {
  const given = typeof input === "object" && input !== null ? input : {};
  const type = "type" in given && typeof given.type === "string" ? given.type.toLowerCase() : null;
  return { ...given, type };
}

export const guestCreationRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/hosts/{id}/guests",
    summary: "Queues the creation of a guest on the host",
    fields: [hostId, ...creation],
    subject: subjects.host,
    problems: problemsBeside(true),
    status: 202,
    mayFailWith: ["conflict"],
    document: `mutation CreateGuestOnHost($hostId: Int!, $input: GuestCreateInput!) {
      data: createGuest(hostId: $hostId, input: $input) { ${QUEUED} }
    }`,
  },
  {
    method: "POST",
    path: "/guests",
    summary: "Queues the creation of a guest on the best node of all hosts in the token's scope; node must be auto",
    fields: creation,
    problems: problemsBeside(false),
    status: 202,
    mayFailWith: ["conflict"],
    document: `mutation CreateGuest($input: GuestCreateInput!) { data: createGuest(input: $input) { ${QUEUED} } }`,
  },
];
