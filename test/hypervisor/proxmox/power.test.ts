// Power actions, and how a stop overrules a shutdown where the node's version and the HA manager allow it.
import assert from "node:assert/strict";
import { PowerAction } from "../../../src/core/enums.js";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { Cleanup, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import type { Script } from "../support/scriptedHost.js";

const VM = { type: "qemu", node: "pve1", vmid: 102 } as const;
const CT = { type: "lxc", node: "pve1", vmid: 200 } as const;
const UPID = "UPID:pve1:00002B24:000683C2:6B00EE7E:qmstop:102:root@pam!panel:";

describe("hypervisor/proxmox/power", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  const nodeOf = (version: string, answer: (form: Readonly<Record<string, string>>) => Script) =>
    scripted(cleanup, ({ path, form }) =>
      path.endsWith("/nodes/pve1/version") ? { data: { version } } : answer(form),
    );

  for (const action of Object.values(PowerAction).filter((other) => other !== "stop")) {
    it(`sends ${action} without parameters`, async () => {
      const { host, driver } = await nodeOf("9.2.11", () => ({ data: UPID }));
      assert.equal(await driver.power(CT, action), UPID);
      assert.deepEqual(
        host.arrivals.map(({ method, path, body }) => [method, path, body]),
        [["POST", `/api2/json/nodes/pve1/lxc/200/status/${action}`, ""]],
      );
    });
  }

  const versions: [string, Record<string, string>][] = [
    ["7.4-16", {}],
    ["8.1.10", {}],
    ["8.2.0", { "overrule-shutdown": "1" }],
    ["9.2.11", { "overrule-shutdown": "1" }],
  ];
  for (const [version, form] of versions) {
    it(`stops a guest on ${version} with ${JSON.stringify(form)}`, async () => {
      const { host, driver } = await nodeOf(version, () => ({ data: UPID }));
      assert.equal(await driver.power(VM, "stop"), UPID);
      assert.deepEqual(host.arrivals.at(-1)?.form, form);
    });
  }

  const refusals: Record<string, Record<string, unknown>> = {
    "the details": { errors: { "overrule-shutdown": "Not applicable for HA resources." } },
    "the reason phrase alone": {},
  };
  for (const [told, details] of Object.entries(refusals)) {
    it(`stops a guest of the HA manager without overruling, recognized by ${told}`, async () => {
      const refused = { status: 400, reason: "Parameter verification failed.", body: { data: null, ...details } };
      const { host, driver } = await nodeOf("8.4.5", (form) =>
        form["overrule-shutdown"] === undefined ? { data: UPID } : refused,
      );
      assert.equal(await driver.power(VM, "stop"), UPID);
      assert.equal(host.arrivals.length, 3);
    });
  }

  it("does not ask again when a stop is refused for another reason", async () => {
    const { host, driver } = await nodeOf("8.4.5", () => ({ status: 500, reason: "CT 200 not running" }));
    await refusal(driver.power(CT, "stop"), PlatformReason.REFUSED, "CT 200 not running");
    assert.equal(host.arrivals.length, 2);
  });
});
