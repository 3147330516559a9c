// Looks up, in one statement, everything that a request to create a guest refers to.
import type { Viewer } from "../access/viewer.js";
import type { Context } from "../context/context.js";
import { parseIpSource, parseTemplateFile, parseTemplateReference } from "../core/guest/reference.js";
import type { GuestCreateRequest } from "../core/guest/specification.js";
import { positiveInteger } from "../core/integer.js";
import type { NodeName } from "../core/placement/nodeSet.js";
import { readJson } from "../reads/engine/json.js";
import { Parameters } from "../reads/engine/statement.js";
import { visibleHost, visibleNode } from "../reads/models/visibility.js";
import { CAN_CLONE } from "../store/template.js";
import type { OwnerFacts } from "../access/owner.js";

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
  /** Of its system disk. */
  readonly minDiskBytes: number;
  /**
   * Of its other disks, which every guest from it gets besides. Any disk may be one of them while nothing has said which is the
   * system's: then all count, so that no more is made than was reserved.
   */
  readonly furtherDiskBytes: number;
  /** Whether the size of all its disks is known. */
  readonly isSized: boolean;
  readonly active: boolean;
  /** Of the processors of its node; null: not known. */
  readonly architecture: string | null;
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
  /** Volume id of the wanted container template; null: none is wanted. */
  readonly file: string | null;
  /** Nodes of the host (without one: of any) that have the wanted container template's file; null when no file is wanted. */
  readonly fileNodes: readonly NodeName[] | null;
  readonly zone: ZoneFacts | null;
}

/** What is to be installed, and where. */
interface Inquiry {
  /** Null: any host. */
  readonly hostId: number | null;
  /** The node of a guest that is installed again: whoever may do that may use what is there. Left out: the guest is new. */
  readonly node?: string;
  readonly request: GuestCreateRequest;
}

/**
 * Looks up what the request names; ids that are no positive integers find nothing. Templates, files and zones that the viewer
 * may not use are not found either: an answer that told them from others would tell that they are there.
 */
export async function createGuestFacts(context: Context, inquiry: Inquiry): Promise<CreateGuestFacts> {
  const { viewer, clock } = context;
  const parameters = new Parameters();
  const text = factsSql(inquiry, viewer, parameters);
  return readJson(context, text, parameters.values({ viewer, now: clock.now(), variables: {} }));
}

function factsSql({ hostId, node, request }: Inquiry, viewer: Viewer, parameters: Parameters): string {
  const integer = (value: number | null): string => `${parameters.value(value)}::int`;
  const source = parseIpSource(request.ipSource);
  const host = integer(hostId);
  const file = parseTemplateFile(request.osTemplate ?? "") === null ? null : request.osTemplate;
  const container = integer(positiveInteger(request.lxcTemplateId));
  const zone = integer(source?.kind === "zone" ? source.zoneId : null);
  const visibleZone = visibleHost("z.host_id", viewer, parameters.bind) ?? "true";
  const visible = visibleNode("n", viewer, parameters.bind) ?? "true";
  const usable =
    node === undefined ? visible : `(${visible} or (n.host_id = ${host} and n.name = ${parameters.value(node)}))`;
  const wanted = `coalesce(${parameters.value(file)}::text, (select c.volid from ct_template c where c.id = ${container}))`;
  return `
  select json_build_object(
    'host', (select json_build_object('id', h.id, 'name', h.name, 'active', h.active, 'maintenance', h.maintenance, 'quorate', h.quorate,
        'nodes', array(select n.name from node n where n.host_id = h.id order by n.name))
      from host h where h.id = ${host}),
    'owner', (select json_build_object('id', u.id, 'role', u.role, 'createdBy', u.created_by,
        'keys', array(select k.public_key from ssh_key k where k.user_id = u.id order by k.id))
      from user_account u where u.id = ${integer(positiveInteger(request.ownerId))}),
    'plan', (select json_build_object('id', p.id, 'cores', p.cores, 'memoryMb', p.memory_mb, 'diskGb', p.disk_gb, 'active', p.active)
      from plan p where p.id = ${integer(positiveInteger(request.planId))}),
    'template', (select json_build_object('id', t.id, 'hostId', t.host_id, 'node', tn.name, 'vmid', t.vmid,
        'minDiskBytes', t.min_disk_bytes, 'active', t.active, 'architecture', tn.architecture,
        'furtherDiskBytes', coalesce((select g.disk_bytes - least(coalesce(g.system_disk_bytes, 0), g.disk_bytes)
          from guest g where g.host_id = t.host_id and g.vmid = t.vmid and g.gone_at is null), 0),
        'isSized', not exists (select from guest g where g.host_id = t.host_id and g.vmid = t.vmid and g.gone_at is null
          and g.unsized_disks is distinct from '{}'),
        'nodes', array(select n.name from node n where n.host_id = t.host_id and ${CAN_CLONE} order by n.name))
      from os_template t join node tn on tn.id = t.node_id
      where t.id = ${integer(parseTemplateReference(request.osTemplate ?? ""))}
        and exists (select 1 from node n where n.host_id = t.host_id and ${usable} and ${CAN_CLONE})),
    'container', (select json_build_object('id', c.id, 'volid', c.volid, 'active', c.active) from ct_template c where c.id = ${container}),
    'file', ${wanted},
    'fileNodes', (select array(select json_build_object('hostId', n.host_id, 'node', n.name)
        from node_file f join node n on n.id = f.node_id
        where f.volid = wanted.volid and f.content = 'vztmpl' and (${host} is null or n.host_id = ${host}) and ${usable})
      from (select ${wanted} as volid) wanted
      where wanted.volid is not null),
    'zone', (select json_build_object('id', z.id, 'hostId', z.host_id, 'name', z.name, 'bridge', z.bridge, 'vlan', z.vlan,
        'nameservers', z.nameservers, 'gateway', host(z.gateway), 'prefixLength', masklen(z.cidr), 'family', family(z.cidr))
      from ip_zone z where z.id = ${zone} and ${visibleZone})
  )::text as json`;
}
