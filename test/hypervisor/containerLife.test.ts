// The whole life of a container on simulated hosts of every supported generation, through the port alone.
import assert from "node:assert/strict";
import { GIB } from "../../src/core/units.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import { PlatformReason } from "../../src/hypervisor/platformError.js";
import { releases } from "../../simulator/version.js";
import { Cleanup } from "./support/driver.js";
import { refusal } from "./support/rejection.js";
import { done, simulated } from "./support/simulatedHost.js";

const CT: GuestAddress = { type: "lxc", node: "pvea", vmid: 200 };
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHG170qy/p5c3GMTIUS1ovtzlwm5ar/3B2ax++X/7P8O panel@example.test";
const CONTAINER = {
  node: "pvea",
  vmid: CT.vmid,
  hostname: "app1",
  unprivileged: true,
  nesting: true,
  template: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.gz",
  storage: "local",
  pool: null,
  diskGb: 2,
  cores: 1,
  memoryMb: 512,
  network: "name=eth0,bridge=vmbr0,ip=dhcp",
  nameservers: ["1.1.1.1"],
  password: "Init-Pass1",
  sshKeys: [KEY],
  description: "made by job 7",
};

for (const release of releases) {
  describe(`hypervisor: a container on a simulated ${release} host`, () => {
    const cleanup = new Cleanup();
    afterEach(() => cleanup.run());

    it("lives through a container: create, configure, resize, power, destroy", async () => {
      const { driver } = await simulated(cleanup, { release });
      await done(driver, driver.createContainer(CONTAINER));
      await refusal(driver.createContainer(CONTAINER), PlatformReason.EXISTS, "already exists");
      const { settings } = await driver.guestConfig(CT);
      assert.deepEqual(
        [settings["hostname"], settings["unprivileged"], settings["features"], settings["memory"], settings["onboot"]],
        ["app1", "1", "nesting=1", "512", "1"],
      );
      assert.equal(await driver.configure(CT, { set: { memory: 1024 }, remove: ["description"] }), null);
      assert.equal((await driver.guestConfig(CT)).settings["memory"], "1024");
      await done(driver, driver.resize(CT, "rootfs", 3 * GIB));
      assert.equal(await driver.resize(CT, "rootfs", 3 * GIB), null);
      await done(driver, driver.power(CT, "start"));
      assert.equal((await driver.guestStatus(CT)).status, "running");
      await refusal(driver.power(CT, "start"), PlatformReason.REFUSED, "already running");
      await done(driver, driver.power(CT, "shutdown"));
      await done(driver, driver.destroy(CT));
      await refusal(driver.guestStatus(CT), PlatformReason.NOT_FOUND);
    });
  });
}
