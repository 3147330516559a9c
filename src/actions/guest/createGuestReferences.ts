// Checks what a request to create a guest refers to: each record must exist, be usable by the caller, and fit the others.
import type { Viewer } from "../../access/viewer.js";
import { parseIpSource } from "../../core/guest/reference.js";
import { AUTO_NODE, type GuestCreateRequest } from "../../core/guest/specification.js";
import type { Problem } from "../../core/problem.js";
import { GIB, gibNeeded } from "../../core/units.js";
import { needsOwner } from "../../access/owner.js";
import type { CreateGuestFacts } from "../../placement/createGuestFacts.js";

/** What is checked, of a request and the records that were found for it. */
interface Examined {
  readonly viewer: Viewer;
  readonly request: GuestCreateRequest;
  readonly facts: CreateGuestFacts;
}

/** @returns a problem for every field that refers to something unknown, unusable or on another host */
export const referenceProblems = (examined: Examined): Problem[] => [
  ...nodeProblems(examined),
  ...planProblems(examined),
  ...ownerProblems(examined),
  ...imageProblems(examined),
  ...zoneProblems(examined),
  ...diskProblems(examined),
];

const nodeProblems = ({ request: { node }, facts: { host } }: Examined): Problem[] => {
  const isNamed = node !== AUTO_NODE && host !== null;
  return failed(["node", isNamed && !host.nodes.includes(node ?? ""), "is no node of the host"]);
};

const planProblems = ({ request, facts: { plan } }: Examined): Problem[] =>
  failed(["plan_id", isGiven(request.planId) && plan?.active !== true, "is no active plan"]);

function ownerProblems({ viewer, request, facts: { owner } }: Examined): Problem[] {
  const hasOwner = isGiven(request.ownerId);
  return failed(
    ["owner_id", hasOwner && owner === null, "is no known user"],
    ["owner_id", !hasOwner && needsOwner(viewer), "is required: guests of resellers have an owner"],
  );
}

function imageProblems({ request, facts: { host, template, container, fileNodes } }: Examined): Problem[] {
  const isTemplate = request.osTemplate?.startsWith("tpl:") ?? false;
  const isMissingFile = isGiven(request.osTemplate) && fileNodes?.length === 0;
  const isUnknownContainer = isGiven(request.lxcTemplateId) && container?.active !== true;
  return failed(
    ["os_template", isTemplate && template?.active !== true, "is no active template"],
    ["os_template", isTemplate && isElsewhere(template, host), "is a template of another host"],
    ["os_template", template?.isSized === false, UNSIZED_TEMPLATE],
    ["os_template", isMissingFile, "is a file that no node has"],
    ["lxc_template_id", isUnknownContainer, "is no known template"],
  );
}

function zoneProblems({ request, facts: { host, zone, template } }: Examined): Problem[] {
  const isZone = parseIpSource(request.ipSource)?.kind === "zone";
  const isApart = zone !== null && template !== null && zone.hostId !== template.hostId;
  return failed(
    ["ip_source", isZone && zone === null, "is no known IP zone"],
    ["ip_source", isZone && isElsewhere(zone, host), "is an IP zone of another host"],
    ["ip_source", host === null && isApart, "is on another host than the template"],
  );
}

function diskProblems({ request, facts: { plan, template } }: Examined): Problem[] {
  const diskGb = plan?.diskGb ?? request.diskGb ?? 0;
  const isTooSmall = template !== null && diskGb > 0 && diskGb * GIB < template.minDiskBytes;
  const than = `smaller than the template's system disk of ${gibNeeded(template?.minDiskBytes ?? 0)}`;
  return failed(
    ["plan_id", isTooSmall && plan !== null, `has a disk that is ${than}`],
    ["disk_gb", isTooSmall && plan === null, `is ${than}`],
  );
}

/** Nobody could say whether the guest's disk suffices, nor what room the clone takes. */
export const UNSIZED_TEMPLATE = "is a template whose host does not tell the size of its disks";

type Check = readonly [field: string, isWrong: boolean, message: string];

const failed = (...checks: readonly Check[]): Problem[] =>
  checks.flatMap(([field, isWrong, message]) => (isWrong ? [{ field, message }] : []));

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

const isElsewhere = (record: { readonly hostId: number } | null, host: { readonly id: number } | null): boolean =>
  record !== null && host !== null && record.hostId !== host.id;
