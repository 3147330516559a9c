// On which nodes a template can be cloned: its own, and those that share every storage with its disks.
import assert from "node:assert/strict";
import { createGuestFacts } from "../../../src/placement/createGuestFacts.js";
import { contextOf, tokenViewer } from "../../support/context.js";
import { plant } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";

describe("actions/templateNodes", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await plant(services.pool, {
      host: [{}],
      node: [{ name: "pve1" }, { name: "pve2" }, { name: "pve3" }],
      storage: [1, 2, 3].flatMap((node) => [
        { node_id: node, name: "local", active: true },
        { node_id: node, name: "ceph", shared: true, active: node < 3 },
      ]),
      guest: [{ vmid: 9000, template: true }],
      os_template: [{ vmid: 9000 }],
    });
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
