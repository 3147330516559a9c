// On which nodes a template can be cloned: its own, and those that share every storage with its disks.
import assert from "node:assert/strict";
import { createGuestFacts } from "../../../src/actions/guest/createGuestFacts.js";
import { contextOf, tokenViewer } from "../../support/context.js";
import { createTestServices, type TestServices } from "../../support/services.js";

describe("actions/templateNodes", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await services.pool.query(`
      insert into host (name, hostname, user_name, secret_encrypted) values ('lab', 'lab.example', 'root@pam', 'x');
      insert into node (host_id, name) values (1, 'pve1'), (1, 'pve2'), (1, 'pve3');
      insert into storage (node_id, name, type, shared, active) select id, 'local', 'dir', false, true from node;
      insert into storage (node_id, name, type, shared, active)
        select id, 'ceph', 'rbd', true, id < 3 from node;
      insert into guest (host_id, node_id, type, vmid, template) values (1, 1, 'qemu', 9000, true);
      insert into os_template (host_id, node_id, vmid, name) values (1, 1, 9000, 'debian');`);
  });
  after(() => services.close());

  const cases: readonly [storages: readonly string[], nodes: readonly string[]][] = [
    [["ceph"], ["pve1", "pve2"]],
    [["ceph", "local"], ["pve1"]],
    [["local"], ["pve1"]],
    [["nowhere"], ["pve1"]],
    [[], ["pve1"]],
  ];
  for (const [storages, nodes] of cases) {
    it(`are ${nodes.join(" and ")} when its disks lie on ${storages.join(" and ") || "nothing that is known"}`, async () => {
      await services.pool.query(`update guest set storages = $1`, [storages]);
      const { template } = await createGuestFacts(contextOf(services, tokenViewer()), {
        hostId: 1,
        request: { osTemplate: "tpl:1" },
      });
      assert.deepEqual(template?.nodes, nodes);
    });
  }
});
