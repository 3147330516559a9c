// The stage of a capture: two hosts with agents and networks, a template, and a customer.
import { placeGuest } from "../../simulator/scenarios/placeGuest.js";
import { createIpZone } from "../../src/actions/catalogue/ipZone.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { TEMPLATE_VMID, type Stage } from "../jobs/creation.js";
import { openMoveStage, type MoveStage } from "../jobs/migration/stage.js";
import { contextFor } from "../support/viewers.js";

/** Network of the zones: the first address is the gateway's. */
export const networkOf = (hostId: number): string => `10.${hostId}.0`;

export const zoneOf = (hostId: number) => ({
  hostId,
  name: "lan",
  cidr: `10.${hostId}.0.0/16`,
  gateway: `${networkOf(hostId)}.1`,
  bridge: "vmbr0",
});

export const hex = (value: number): string => value.toString(16).padStart(2, "0").toUpperCase();

/** In the host's network, from a part of it that the service does not give out. */
export const addressOf = (hostId: number, vmid: number): string => `10.${hostId}.${100 + (vmid >> 8)}.${vmid & 255}`;

export async function openStage(): Promise<{ stage: MoveStage; creations: Stage }> {
  const stage = await openMoveStage();
  const { services, source, target } = stage;
  for (const { host } of [source, target]) {
    for (const node of host.platform.state.nodes.values()) node.memoryBytes *= 8;
  }
  placeGuest(source.host.platform, {
    type: "qemu",
    vmid: TEMPLATE_VMID,
    node: "pvea",
    name: "tpl-debian",
    status: "stopped",
    memory: 512,
    cores: 1,
    diskGb: 0.0625,
    config: { template: 1, tags: "template", ide2: "local:9000/vm-9000-cloudinit.qcow2,media=cdrom" },
    snapshots: [],
  });
  for (const { hostId } of [source, target]) await syncHost(services, hostId, { thorough: true });
  await services.pool.query(
    `insert into user_account (email, username, role, password_hash) values ('ann@example.com', 'ann', 'customer', 'x')`,
  );
  const { rows } = await services.pool.query<{ id: number }>(
    `insert into os_template (host_id, node_id, vmid, name, min_disk_bytes)
     select host_id, node_id, vmid, name, disk_bytes from guest where vmid = $1 returning id`,
    [TEMPLATE_VMID],
  );
  const context = await contextFor(services);
  for (const { hostId } of [source, target]) {
    await createIpZone(context, zoneOf(hostId));
  }
  const creations = {
    host: source.host,
    services,
    hostId: source.hostId,
    templateId: rows[0]?.id ?? 0,
    close: async () => {},
  };
  return { stage, creations };
}
