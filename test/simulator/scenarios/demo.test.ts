// Tests that demo hosts are believable, differ from each other, and are the same at every start.
import assert from "node:assert/strict";
import { createPlatform } from "../../../simulator/platform.js";
import type { Platform } from "../../../simulator/platform.js";
import { demo } from "../../../simulator/scenarios/demo.js";

function furnished(name: string, nodes = [name]): Platform {
  const stage = { name, nodes };
  const platform = createPlatform({ name, release: "9.2", ...demo.platform(stage) });
  demo.furnish(platform, stage);
  return platform;
}

function configs(platform: Platform): [number, string | undefined][] {
  return [...platform.state.guests.values()].map(({ vmid, config }) => [vmid, config.name ?? config.hostname]);
}

describe("demo scenario", () => {
  const members = ["c1", "c2", "c3"];

  it("is the same at every start and another for every host", () => {
    assert.deepEqual(configs(furnished("alpha")), configs(furnished("alpha")));
    assert.notDeepEqual(configs(furnished("alpha")), configs(furnished("beta")));
  });

  it("has ten to twenty-five guests, some of them stopped, and templates with cloud-init drives", () => {
    for (const platform of [furnished("alpha"), furnished("beta"), furnished("gamma", members)]) {
      const guests = [...platform.state.guests.values()];
      const working = guests.filter(({ config }) => config.template === undefined);
      const running = working.filter(({ runtime }) => runtime !== null);
      assert.ok(working.length >= 10 && working.length <= 25, `${working.length} guests`);
      assert.ok(running.length > working.length / 2 && running.length < working.length);
      const templates = guests.filter(({ config }) => config.template === "1");
      assert.deepEqual(
        templates.map(({ config }) => config.name),
        ["debian-12", "ubuntu-24.04"],
      );
      for (const { config } of templates) assert.match(config.ide2 ?? "", /cloudinit,media=cdrom/);
    }
  });

  it("gives every address and hardware address once", () => {
    const platforms = [furnished("alpha"), furnished("beta"), furnished("gamma", members)];
    const texts = platforms.flatMap(({ state }) =>
      [...state.guests.values()].map(({ config }) => JSON.stringify(config)),
    );
    for (const form of [/ip=\d+\.\d+\.\d+\.\d+/, /BC:24:11:\w\w:\w\w:\w\w/]) {
      const found = texts.flatMap((text) => form.exec(text)?.[0] ?? []);
      assert.equal(new Set(found).size, found.length);
    }
  });

  it("shares a storage among the nodes of a cluster", () => {
    const { state } = furnished("gamma", members);
    assert.equal(state.clusterName, "gamma");
    assert.equal(state.storages.get("ceph-vm")?.shared, true);
    assert.equal(furnished("alpha").state.storages.has("ceph-vm"), false);
  });
});
