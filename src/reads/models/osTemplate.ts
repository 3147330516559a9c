// Reads QEMU templates that virtual machines are cloned from.
import { vmidOrNull } from "../../core/names.js";
import { contains, type Optional } from "../engine/criteria.js";
import { column, expression, gibSql, type ReadModel } from "../engine/model.js";
import type { Clause } from "../engine/read.js";
import { visibleNode } from "./visibility.js";

/** Null while nothing has said which disk is the system's, or the size of one is not known. */
const furtherDiskGb = (row: string): string => `(
  select case when g.unsized_disks = '{}' then ${gibSql("greatest(g.disk_bytes - g.system_disk_bytes, 0)")} end
  from guest g where g.host_id = ${row}.host_id and g.vmid = ${row}.vmid and g.gone_at is null)`;

export const osTemplates: ReadModel = {
  type: "OsTemplate",
  from: (row) => `os_template ${row} join node ${row}_node on ${row}_node.id = ${row}.node_id`,
  visible: (row, viewer, bind) => visibleNode(`${row}_node`, viewer, bind),
  fields: {
    id: column("id"),
    ref: expression((row) => `'tpl:' || ${row}.id`),
    hostId: column("host_id"),
    node: expression((row) => `${row}_node.name`),
    vmid: column("vmid"),
    name: column("name"),
    minDiskGb: expression((row) => gibSql(`${row}.min_disk_bytes`)),
    furtherDiskGb: expression(furtherDiskGb),
    active: column("active"),
  },
};

/** Which templates to list. */
interface OsTemplateCriteria {
  /** Left out: only those that new guests can use. */
  readonly includeInactive?: Optional<boolean>;
  /** Part of the name in any case, or the VMID. */
  readonly search?: Optional<string>;
}

/** The conditions of a filter. */
export const osTemplateClauses = ({ includeInactive, search }: OsTemplateCriteria): Clause[] => [
  ...(includeInactive === true ? [] : [(row: string) => `${row}.active`]),
  ...(typeof search === "string" ? [found(search)] : []),
];

const found =
  (search: string): Clause =>
  (row, value) => {
    const vmid = vmidOrNull(search);
    const byVmid = vmid === null ? "" : ` or ${row}.vmid = ${value(vmid)}`;
    return `(${row}.name ilike ${value(contains(search))}${byVmid})`;
  };
