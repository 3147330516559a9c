// Guests of which the platform's overview does not tell the truth.
import assert from "node:assert/strict";
import { believedStatus } from "../../src/inventory/actualStatuses.js";
import { GuestStatus, PowerAction } from "../../src/core/enums.js";
import { Site, type ConnectedHost } from "./support/site.js";

const VM = { type: "qemu", vmid: 100, node: "pvea", name: "web1", status: "running" } as const;
const { PAUSED, RUNNING, STOPPED, UNKNOWN } = GuestStatus;

describe("inventory/actualStatuses", () => {
  const beliefs: readonly [
    overview: GuestStatus,
    known: GuestStatus | undefined,
    looked: GuestStatus | undefined,
    believed: GuestStatus,
  ][] = [
    [RUNNING, RUNNING, undefined, RUNNING],
    [RUNNING, undefined, undefined, RUNNING],
    [RUNNING, PAUSED, undefined, PAUSED],
    [RUNNING, PAUSED, RUNNING, RUNNING],
    [RUNNING, PAUSED, PAUSED, PAUSED],
    [STOPPED, PAUSED, undefined, STOPPED],
    [UNKNOWN, PAUSED, undefined, UNKNOWN],
    [UNKNOWN, undefined, STOPPED, STOPPED],
  ];
  for (const [overview, known, looked, believed] of beliefs) {
    it(`believes ${believed} of a ${known ?? "new"} guest that is shown ${overview} and seen ${looked ?? "not at all"}`, () => {
      assert.equal(believedStatus(overview, known, looked), believed);
    });
  }

  let site: Site;
  let pve: ConnectedHost;
  before(async () => {
    site = await Site.open();
    pve = await site.connect();
    await pve.control.post("/guests", VM);
    await pve.sync();
  });
  after(() => site.close());

  const statusAfterSync = async (): Promise<unknown> => {
    await pve.sync();
    return (await site.row<{ status: string }>("select status from guest where vmid = 100"))?.status;
  };
  const power = async (action: PowerAction): Promise<void> => {
    const hypervisor = await site.services.hypervisors.of(pve.id);
    await hypervisor.waitForTask(await hypervisor.power(VM, action));
  };

  it("keeps a pause that is on record until the guest is seen running", async () => {
    await power(PowerAction.SUSPEND);
    await site.rows("update guest set status = 'paused' where vmid = 100");
    assert.equal(await statusAfterSync(), PAUSED);
    await pve.control.post("/faults", { path: "status/current", effect: "status", status: 500, message: "busy" });
    await power(PowerAction.RESUME);
    assert.equal(await statusAfterSync(), PAUSED);
    await pve.control.delete("/faults");
    assert.equal(await statusAfterSync(), RUNNING);
  });

  it("reverts a pause that never came about", async () => {
    await site.rows("update guest set status = 'paused' where vmid = 100");
    assert.equal(await statusAfterSync(), RUNNING);
  });
});
