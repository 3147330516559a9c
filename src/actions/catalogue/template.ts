// Registers what guests are made from: QEMU templates of a host, and template files of the managed library.
import { permit, permitEverywhere, permitHost } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { parseTemplateFile } from "../../core/guest/reference.js";
import type { Problem } from "../../core/problem.js";
import { DroverError, notFound, validationError } from "../../errors/errors.js";
import * as hosts from "../../store/host/known.js";
import * as templates from "../../store/template.js";
import { nameProblems } from "../inputProblems.js";
import { brokenUnique } from "../../db/unique.js";

/** A template that is on a node already. */
interface OsTemplateInput {
  readonly hostId: number;
  readonly node: string;
  readonly vmid: number;
  readonly name: string;
}

interface CtTemplateInput {
  readonly name: string;
  /** `<storage>:vztmpl/<file>`, the same on every node that shall use it. */
  readonly volid: string;
}

/**
 * @returns the template's id
 * @throws DroverError `notFound` (host), `validation`, `conflict` when it is registered already (`TEMPLATE_EXISTS`)
 */
export async function registerOsTemplate(context: Context, input: OsTemplateInput): Promise<number> {
  permit(context, Permission.HOSTS_MANAGE);
  permitHost(context, input.hostId);
  const { hostId, node, vmid, name } = input;
  if (!(await hosts.isThere(context.pool, hostId))) throw notFound(`Host ${hostId}`);
  refuseProblems(nameProblems(name));
  const placed = { hostId, node, vmid, name: name.trim() };
  const id = await unlessRegistered(templates.insertOs(context.pool, placed));
  if (id !== null) return id;
  throw validationError([{ field: "vmid", message: `is no QEMU template on node ${node}` }]);
}

/** @returns the template's id. @throws DroverError as `registerOsTemplate` */
export async function registerCtTemplate(context: Context, { name, volid }: CtTemplateInput): Promise<number> {
  permit(context, Permission.HOSTS_MANAGE);
  permitEverywhere(context, "The managed library");
  const isFile = parseTemplateFile(volid) !== null;
  refuseProblems([
    ...nameProblems(name),
    ...(isFile
      ? []
      : [{ field: "volid", message: "must be the volume id of a template file, <storage>:vztmpl/<file>" }]),
  ]);
  return unlessRegistered(templates.insertCt(context.pool, { name: name.trim(), volid }));
}

function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length > 0) throw validationError(problems);
}

const unlessRegistered = <Result>(writing: Promise<Result>): Promise<Result> =>
  writing.catch((error: unknown) => {
    if (brokenUnique(error) === null) throw error;
    throw new DroverError("conflict", "The template is registered already", { reason: "TEMPLATE_EXISTS" });
  });
