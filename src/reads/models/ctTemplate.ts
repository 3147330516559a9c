// Reads what containers are made from: the managed library, and the template files of a host's nodes.
import { contains, given, type Optional } from "../engine/criteria.js";
import { column, expression, type ReadModel } from "../engine/model.js";
import type { Clause } from "../engine/read.js";
import { visibleNode } from "./visibility.js";

/** Library entries belong to no host; each is shown with the file size that one of the nodes reports. */
const LIBRARY = `
  select c.id, c.name, c.volid, null::integer as node_id, null::text as node, split_part(c.volid, ':', 1) as storage,
    (select max(f.size_bytes) from node_file f where f.volid = c.volid) as size_bytes, true as managed
  from ct_template c where c.active`;

const FILES = `
  select null::integer, split_part(f.volid, '/', 2), f.volid, f.node_id, n.name, f.storage, f.size_bytes, false
  from node_file f join node n on n.id = f.node_id where f.content = 'vztmpl'`;

export const ctTemplates: ReadModel = {
  type: "CtTemplate",
  from: (row) => `(${LIBRARY} union all ${FILES}) ${row} left join node ${row}_node on ${row}_node.id = ${row}.node_id`,
  visible(row, viewer, bind) {
    const files = visibleNode(`${row}_node`, viewer, bind);
    return files === null ? null : `(${row}.managed or ${files})`;
  },
  fields: {
    id: column("id"),
    name: column("name"),
    volid: column("volid"),
    node: column("node"),
    storage: column("storage"),
    // No such file is empty: its storage does not tell.
    sizeBytes: expression((row) => `nullif(${row}.size_bytes, 0)`),
    managed: column("managed"),
  },
};

/** Which templates to list. */
interface CtTemplateCriteria {
  readonly hostId: number;
  /** Of its nodes, this one alone. */
  readonly node?: Optional<string>;
  /** Part of the name, in any case. */
  readonly search?: Optional<string>;
}

/** The library, and the files of the host's nodes or of the one that is named. */
export const ctTemplateClauses = ({ hostId, node, search }: CtTemplateCriteria): Clause[] => [
  (row, value) => {
    const named = node === null || node === undefined ? "" : ` and ${row}.node = ${value(node)}`;
    return `(${row}.managed or ${row}_node.host_id = ${value(hostId)}${named})`;
  },
  ...given(typeof search === "string" ? contains(search) : null, (row, pattern) => `${row}.name ilike ${pattern}`),
];
