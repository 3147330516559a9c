// Which cards and addresses guests have, by configurations as the platform writes them.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCards, readGuestCards } from "../../../agent/platform/guestCards.js";

const MACHINE = `#net9: virtio=BC:24:11:00:00:99,bridge=vmbr0
boot: order=scsi0
ipconfig0: gw=10.77.0.1,ip=10.77.0.5/24,ip6=auto
ipconfig1: ip=dhcp,ip6=2001:DB8:0::5/64
name: web-1
net0: virtio=BC:24:11:AA:BB:05,bridge=vmbr1,firewall=1
net1: bridge=vmbr1,e1000=BC:24:11:AA:BB:15
scsi0: local-lvm:vm-100-disk-0,size=8G

[before]
ipconfig0: ip=10.77.0.200/24
net0: virtio=BC:24:11:AA:BB:FF,bridge=vmbr1
`;

const CONTAINER = `hostname: db
net0: name=eth0,bridge=vmbr1,gw=10.77.0.1,hwaddr=BC:24:11:AA:BB:06,ip=10.77.0.6/24,ip6=manual,type=veth
`;

describe("agent: guests' network cards", () => {
  it("are those of a machine's configuration as it is now", () => {
    assert.deepEqual(parseCards(MACHINE), {
      cards: ["bc:24:11:aa:bb:05", "bc:24:11:aa:bb:15"],
      addresses: ["10.77.0.5", "2001:db8::5"],
    });
  });

  it("are those of a container's configuration, and none of an empty one", () => {
    assert.deepEqual(parseCards(CONTAINER), { cards: ["bc:24:11:aa:bb:06"], addresses: ["10.77.0.6"] });
    assert.deepEqual(parseCards(""), { cards: [], addresses: [] });
  });

  describe("on a node", () => {
    let root: string;
    before(async () => {
      root = await mkdtemp(join(tmpdir(), "drover-guests-"));
    });
    after(() => rm(root, { recursive: true }));

    it("are unknown while the cluster file system is not mounted", () =>
      assert.rejects(readGuestCards(root), /ENOENT/));

    it("are those of all nodes of its cluster", async () => {
      const write = async (path: string, text: string): Promise<void> => {
        await mkdir(join(root, "etc/pve/nodes", path, ".."), { recursive: true });
        await writeFile(join(root, "etc/pve/nodes", path), text);
      };
      await write("pve1/qemu-server/100.conf", MACHINE);
      await write("pve1/qemu-server/100.conf.tmp", CONTAINER.replaceAll("10.77.0.6", "10.77.0.66"));
      await write("pve2/lxc/101.conf", CONTAINER);
      const { cards, addresses } = await readGuestCards(root);
      assert.deepEqual([...addresses].toSorted(), ["10.77.0.5", "10.77.0.6", "2001:db8::5"]);
      assert.equal(cards.size, 3);
    });
  });
});
