// Which VMIDs a new guest can get, in the answers of versions 7.3 to 9.2 and of those who stand between.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { Cleanup, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import type { Script } from "../support/scriptedHost.js";

describe("hypervisor/proxmox/vmids", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("distinguishes a free VMID from a taken one and from one that is out of range", async () => {
    const answers = [
      { data: "321" },
      { status: 400, reason: "Parameter verification failed.", body: { errors: { vmid: "VM 9000 already exists" } } },
      {
        status: 400,
        reason: "Parameter verification failed.",
        body: { errors: { vmid: "value must have a minimum value of 100" } },
      },
    ];
    const { driver } = await scripted(cleanup, (_, index) => answers[index] ?? "drop");
    assert.equal(await driver.vmidIsFree(321), true);
    assert.equal(await driver.vmidIsFree(9000), false);
    await refusal(driver.vmidIsFree(1), PlatformReason.REFUSED, "minimum value of 100");
  });

  it("takes no VMID for free when the refusal gives no reason", async () => {
    const { driver } = await scripted(cleanup, () => ({ status: 400, reason: "Parameter verification failed." }));
    assert.equal(await driver.vmidIsFree(321), false);
  });

  it("looks among the guests when the answer names another VMID", async () => {
    const guests = { data: [{ type: "lxc", id: "lxc/321", vmid: 321, node: "pve1" }] };
    const answers: Script[] = [{ data: 322 }, guests, { data: "322" }, guests];
    const { driver } = await scripted(cleanup, (_, index) => answers[index] ?? "drop");
    assert.equal(await driver.vmidIsFree(321), false);
    assert.equal(await driver.vmidIsFree(320), true);
  });

  const ranges: [what: string, answer: Script, lower: number, upper: number][] = [
    ["both bounds as texts", { data: { "next-id": { lower: "5000", upper: "6000" } } }, 5000, 6000],
    ["one bound as a number", { data: { "next-id": { lower: 5000 } } }, 5000, 1_000_000],
    ["the line of the file", { data: { "next-id": "lower=200,upper=300" } }, 200, 300],
    ["the other bound of such a line", { data: { "next-id": "upper=300" } }, 100, 300],
    ["no bounds that no VMID has", { data: { "next-id": { lower: 1, upper: 1e12 } } }, 100, 1_000_000_000],
    ["nothing of it", { data: { "allowed-tags": [] } }, 100, 1_000_000],
    ["nothing at all", { data: null }, 100, 1_000_000],
    ["that it does not know the question", { status: 501, reason: "Method not implemented" }, 100, 1_000_000],
    ["nobody its options", { status: 403, reason: "Permission check failed" }, 100, 1_000_000],
  ];
  for (const [what, answer, lower, upper] of ranges) {
    it(`reads the range of a host that shows ${what}`, async () => {
      const { host, driver } = await scripted(cleanup, () => answer);
      assert.deepEqual(await driver.vmidRange(), { lower, upper });
      assert.deepEqual(
        host.arrivals.map(({ path }) => path),
        ["/api2/json/cluster/options"],
      );
    });
  }

  const general = { "/vms": { "VM.Allocate": 1, "VM.Audit": 1 } };
  const rules: [what: string, general: unknown, own: unknown, isBarred: boolean][] = [
    ["rules of its own that take the right away", general, { "/vms/105": { "VM.Audit": 1 } }, true],
    ["rules of its own that give nothing", general, { "/vms/105": {} }, true],
    ["the right as elsewhere", general, { "/vms/105": { "VM.Allocate": 0 } }, false],
    ["no right, as elsewhere", { "/vms": { "VM.Audit": 1 } }, { "/vms/105": {} }, false],
    ["no right that holds below", { "/vms": { "VM.Allocate": 0 } }, { "/vms/105": {} }, false],
    ["an answer that leaves it out", general, general, false],
  ];
  for (const [what, wide, own, isBarred] of rules) {
    it(`finds a VMID ${isBarred ? "barred" : "not barred"} by ${what}`, async () => {
      const { driver } = await scripted(cleanup, (_, index) => ({ data: index === 0 ? wide : own }));
      assert.equal(await driver.vmidIsBarred(105), isBarred);
    });
  }

  it("finds none barred on a host that does not have the method", async () => {
    const { driver } = await scripted(cleanup, () => ({ status: 501, reason: "Method not implemented" }));
    assert.equal(await driver.vmidIsBarred(105), false);
  });
});
