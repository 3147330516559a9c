// Tests values of a VM's configuration that are refused for what they name, and what a new boot order replaces.
import assert from "node:assert/strict";
import { Asker, standalone } from "../asking.js";

const vm = "/nodes/pvea/qemu/100";

async function withVm(parameters: Record<string, string> = {}): Promise<Asker> {
  const asker = new Asker(standalone());
  await asker.makeVm(100, parameters);
  return asker;
}

describe("simulator: values of a VM's configuration", () => {
  it("MUST look at a hook script before it looks at who may set one", async () => {
    const asker = await withVm();
    const missing = await asker.ask(`PUT ${vm}/config`, { hookscript: "local:snippets/hook.pl" });
    assert.deepEqual(
      [missing.status, missing.errors],
      [400, { hookscript: "script 'local:snippets/hook.pl' does not exist\n" }],
    );
    const image = await asker.ask(`PUT ${vm}/config`, { hookscript: "local:iso/rescue.iso" });
    assert.deepEqual(image.errors, { hookscript: "'local:iso/rescue.iso' is not in the snippets directory\n" });
    const [file] = asker.platform.state.volumes;
    assert.ok(file);
    asker.platform.state.volumes.push({ ...file, name: "snippets/hook.pl", content: "snippets" });
    assert.deepEqual(await asker.ask(`PUT ${vm}/config`, { hookscript: "local:snippets/hook.pl" }), {
      status: 500,
      message: "only root can set 'hookscript' config",
    });
    await asker.as("root@pam").data(`PUT ${vm}/config`, { hookscript: "local:snippets/hook.pl" });
  });

  it("MUST refuse a CD-ROM on VirtIO and an ISO image that is missing", async () => {
    const asker = await withVm();
    const bus = await asker.ask(`PUT ${vm}/config`, { virtio5: "local:iso/rescue.iso,media=cdrom" });
    assert.deepEqual(bus.errors, { virtio5: "unable to parse drive options" });
    const missing = await asker.ask(`PUT ${vm}/config`, { ide0: "local:iso/nosuch.iso,media=cdrom" });
    assert.equal(missing.message, "volume 'local:iso/nosuch.iso' does not exist");
  });

  it("MUST drop the old boot disk when an order is set", async () => {
    const asker = await withVm({ boot: "cdn" });
    await asker.data(`PUT ${vm}/config`, { bootdisk: "scsi0" });
    await asker.data(`PUT ${vm}/config`, { boot: "order=net0" });
    const config = await asker.record(`GET ${vm}/config`);
    assert.deepEqual([config.boot, config.bootdisk], ["order=net0", undefined]);
  });
});
