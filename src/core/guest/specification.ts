// Finds everything wrong with a request to create or reinstall a guest that can be found without looking anything up.
import { GuestType } from "../enums.js";
import { positiveInteger } from "../integer.js";
import { isGuestName, isNodeName, LARGEST_VMID, SMALLEST_VMID, vmidOrNull } from "../names.js";
import { passwordFault } from "../password.js";
import type { Problem } from "../problem.js";
import { parseIpSource, parseTemplateFile, parseTemplateReference } from "./reference.js";

/** The node name that leaves the choice of node and storage to placement. */
export const AUTO_NODE = "auto";
/** Proxmox VE starts no guest with less, in MiB. */
export const SMALLEST_MEMORY_MB = 16;

type Optional<Value> = Value | null | undefined;

/** What is installed on a guest, and how its owner gets in. */
export interface InstallRequest {
  readonly osTemplate?: Optional<string>;
  readonly lxcTemplateId?: Optional<number>;
  readonly password?: Optional<string>;
  readonly sshKeys?: Optional<readonly string[]>;
}

/** The guest create input of GraphQL and REST v1, as it came: nothing in it is checked yet. */
export interface GuestCreateRequest extends InstallRequest {
  readonly type?: Optional<string>;
  readonly node?: Optional<string>;
  readonly name?: Optional<string>;
  readonly planId?: Optional<number>;
  readonly cores?: Optional<number>;
  readonly memoryMb?: Optional<number>;
  readonly diskGb?: Optional<number>;
  readonly vmid?: Optional<number>;
  readonly ownerId?: Optional<number>;
  readonly ipSource?: Optional<string>;
}

/** What the checks need to know beside the request. */
export interface CreateCircumstances {
  /** Whether the caller named the host; without one, only placement can choose the node. */
  readonly hostGiven: boolean;
  /** Whether the owner has stored SSH keys: they count as keys. */
  readonly ownerHasKeys: boolean;
}

/** @returns every problem of a create request, by the field names of REST v1; empty when there is none. */
export function guestCreateProblems(request: GuestCreateRequest, circumstances: CreateCircumstances): Problem[] {
  return [
    ...typeProblems(request.type),
    ...nodeProblems(request.node, circumstances.hostGiven),
    ...nameProblems(request.name),
    ...sizeProblems(request),
    ...(isGuestType(request.type) ? imageProblems(request.type, request) : []),
    ...vmidProblems(request),
    ...accessProblems(request, circumstances.ownerHasKeys),
    ...idProblems("owner_id", request.ownerId),
    ...(parseIpSource(request.ipSource) ? [] : [problem("ip_source", "must be dhcp or zone:<zone_id>")]),
  ];
}

/** @returns every problem of a request to reinstall a guest of this type, by the field names of REST v1. */
export function guestReinstallProblems(type: GuestType, request: InstallRequest, ownerHasKeys: boolean): Problem[] {
  return [...imageProblems(type, request), ...accessProblems(request, ownerHasKeys)];
}

const isGuestType = (type: Optional<string>): type is GuestType => type === GuestType.QEMU || type === GuestType.LXC;

const typeProblems = (type: Optional<string>): Problem[] =>
  isGuestType(type) ? [] : [problem("type", "must be qemu or lxc")];

function nodeProblems(node: Optional<string>, hostGiven: boolean): Problem[] {
  if (node === AUTO_NODE) return [];
  if (!hostGiven) return [problem("node", `must be ${AUTO_NODE} when no host is given`)];
  return isNodeName(node ?? "") ? [] : [problem("node", `must be a node name or ${AUTO_NODE}`)];
}

const nameProblems = (name: Optional<string>): Problem[] =>
  isGuestName(name ?? "") ? [] : [problem("name", "must be a valid DNS name")];

/** A plan sets the size, so that the three size fields beside it are not even looked at. */
function sizeProblems({ planId, cores, memoryMb, diskGb }: GuestCreateRequest): Problem[] {
  if (isGiven(planId)) return idProblems("plan_id", planId);
  return [
    ...leastProblems("cores", cores, 1),
    ...leastProblems("memory_mb", memoryMb, SMALLEST_MEMORY_MB),
    ...leastProblems("disk_gb", diskGb, 1),
  ];
}

function leastProblems(field: string, value: Optional<number>, least: number): Problem[] {
  if (!isGiven(value)) return [problem(field, "is required without plan_id")];
  return (positiveInteger(value) ?? 0) < least ? [problem(field, `must be an integer of at least ${least}`)] : [];
}

function imageProblems(type: GuestType, request: InstallRequest): Problem[] {
  return type === GuestType.QEMU ? machineImageProblems(request) : containerImageProblems(request);
}

function machineImageProblems({ osTemplate, lxcTemplateId }: InstallRequest): Problem[] {
  return [
    ...(parseTemplateReference(osTemplate ?? "") === null
      ? [problem("os_template", "must be tpl:<template_id> for a virtual machine")]
      : []),
    ...(isGiven(lxcTemplateId) ? [problem("lxc_template_id", "is for containers only")] : []),
  ];
}

function containerImageProblems({ osTemplate, lxcTemplateId }: InstallRequest): Problem[] {
  if (isGiven(osTemplate) && isGiven(lxcTemplateId)) {
    return [problem("lxc_template_id", "must not be given beside os_template")];
  }
  if (isGiven(lxcTemplateId)) return idProblems("lxc_template_id", lxcTemplateId);
  if (!isGiven(osTemplate)) return [problem("os_template", "or lxc_template_id is required for a container")];
  return parseTemplateFile(osTemplate) ? [] : [problem("os_template", "must be the volume id of a template file")];
}

function vmidProblems({ node, vmid }: GuestCreateRequest): Problem[] {
  if (!isGiven(vmid)) return node === AUTO_NODE ? [] : [problem("vmid", `is required unless node is ${AUTO_NODE}`)];
  return vmidOrNull(vmid) === null ? [problem("vmid", `must be from ${SMALLEST_VMID} to ${LARGEST_VMID}`)] : [];
}

function accessProblems({ password, sshKeys }: InstallRequest, ownerHasKeys: boolean): Problem[] {
  if (isGiven(password)) return passwordProblems(password);
  const hasKeys = ownerHasKeys || (sshKeys ?? []).length > 0;
  return hasKeys ? [] : [problem("password", "or ssh_keys must be given")];
}

function passwordProblems(password: string): Problem[] {
  const fault = passwordFault(password);
  return fault === null ? [] : [problem("password", fault)];
}

const idProblems = (field: string, id: Optional<number>): Problem[] =>
  !isGiven(id) || positiveInteger(id) !== null ? [] : [problem(field, "must be a positive integer")];

const isGiven = <Value>(value: Optional<Value>): value is Value => value !== null && value !== undefined;

const problem = (field: string, message: string): Problem => ({ field, message });
