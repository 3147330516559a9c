// Looks up, in one statement, everything that a request to create a guest refers to.
import type { Pool } from "pg";
import { parseIpSource, parseTemplateFile, parseTemplateReference } from "../../core/guest/reference.js";
import type { GuestCreateRequest } from "../../core/guest/specification.js";
import { positiveInteger } from "../../core/integer.js";
import type { NodeName } from "../../core/placement/nodeSet.js";
import type { OwnerFacts } from "../people/owner.js";
import { CAN_CLONE } from "../catalogue/templateNodes.js";

interface PlanFacts {
  readonly id: number;
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  readonly active: boolean;
}

interface TemplateFacts {
  readonly id: number;
  readonly hostId: number;
  readonly node: string;
  readonly vmid: number;
  readonly minDiskBytes: number;
  readonly active: boolean;
  /** Nodes of the host that can clone it: its own, and those that share every storage with its disks. */
  readonly nodes: readonly string[];
}

export interface ZoneFacts {
  readonly id: number;
  readonly hostId: number;
  readonly name: string;
  readonly bridge: string;
  readonly vlan: number | null;
  readonly nameservers: readonly string[];
  readonly gateway: string | null;
  readonly prefixLength: number;
  readonly family: 4 | 6;
}

interface HostFacts {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  readonly maintenance: boolean;
  readonly quorate: boolean;
  readonly nodes: readonly string[];
}

/** What a request refers to; null where there is no such record. */
export interface CreateGuestFacts {
  readonly host: HostFacts | null;
  readonly owner: (OwnerFacts & { readonly id: number; readonly keys: readonly string[] }) | null;
  readonly plan: PlanFacts | null;
  readonly template: TemplateFacts | null;
  readonly container: { readonly id: number; readonly volid: string; readonly active: boolean } | null;
  /** Nodes of the host (without one: of any) that have the wanted container template's file; null when no file is wanted. */
  readonly fileNodes: readonly NodeName[] | null;
  readonly zone: ZoneFacts | null;
}

const FACTS = `
  select json_build_object(
    'host', (select json_build_object('id', h.id, 'name', h.name, 'active', h.active, 'maintenance', h.maintenance, 'quorate', h.quorate,
        'nodes', array(select n.name from node n where n.host_id = h.id order by n.name))
      from host h where h.id = $1),
    'owner', (select json_build_object('id', u.id, 'role', u.role, 'createdBy', u.created_by,
        'keys', array(select k.public_key from ssh_key k where k.user_id = u.id order by k.id))
      from user_account u where u.id = $2),
    'plan', (select json_build_object('id', p.id, 'cores', p.cores, 'memoryMb', p.memory_mb, 'diskGb', p.disk_gb, 'active', p.active)
      from plan p where p.id = $3),
    'template', (select json_build_object('id', t.id, 'hostId', t.host_id, 'node', tn.name, 'vmid', t.vmid,
        'minDiskBytes', t.min_disk_bytes, 'active', t.active,
        'nodes', array(select n.name from node n where n.host_id = t.host_id and ${CAN_CLONE} order by n.name))
      from os_template t join node tn on tn.id = t.node_id where t.id = $4),
    'container', (select json_build_object('id', c.id, 'volid', c.volid, 'active', c.active) from ct_template c where c.id = $5),
    'fileNodes', (select array(select json_build_object('hostId', n.host_id, 'node', n.name)
        from node_file f join node n on n.id = f.node_id
        where f.volid = wanted.volid and f.content = 'vztmpl' and ($1::int is null or n.host_id = $1))
      from (select coalesce($7, (select c.volid from ct_template c where c.id = $5)) as volid) wanted
      where wanted.volid is not null),
    'zone', (select json_build_object('id', z.id, 'hostId', z.host_id, 'name', z.name, 'bridge', z.bridge, 'vlan', z.vlan,
        'nameservers', z.nameservers, 'gateway', host(z.gateway), 'prefixLength', masklen(z.cidr), 'family', family(z.cidr))
      from ip_zone z where z.id = $6)
  )::text as json`;

/** Looks up what the request names; ids that are no positive integers find nothing. */
export async function createGuestFacts(
  pool: Pool,
  hostId: number | null,
  request: GuestCreateRequest,
): Promise<CreateGuestFacts> {
  const source = parseIpSource(request.ipSource);
  const { rows } = await pool.query<{ json: string }>({
    name: "create-guest-facts",
    text: FACTS,
    values: [
      hostId,
      positiveInteger(request.ownerId),
      positiveInteger(request.planId),
      parseTemplateReference(request.osTemplate ?? ""),
      positiveInteger(request.lxcTemplateId),
      source?.kind === "zone" ? source.zoneId : null,
      parseTemplateFile(request.osTemplate ?? "") && request.osTemplate,
    ],
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  return JSON.parse(rows[0]?.json ?? "null") as CreateGuestFacts;
}
