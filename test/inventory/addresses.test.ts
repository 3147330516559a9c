// Addresses that guests have on the platform: adopted into the zone they lie in, given back when the guest is gone.
import assert from "node:assert/strict";
import { Site, type ConnectedHost } from "./support/site.js";

describe("addresses found on the platform", () => {
  let site: Site;
  let pve: ConnectedHost;
  beforeEach(async () => {
    site = await Site.open();
    pve = await site.connect();
    await site.rows(
      `insert into ip_zone (host_id, name, cidr, range_start, range_end, gateway, bridge, total, next_candidate)
       values ($1, 'public', '192.0.2.0/24', '192.0.2.10', '192.0.2.20', '192.0.2.1', 'vmbr0', 11, '192.0.2.10'),
              ($1, 'six', '2001:db8::/64', '2001:db8::1', '2001:db8::ff', null, 'vmbr0', 255, '2001:db8::1')`,
      pve.id,
    );
  });
  afterEach(() => site.close());

  const place = (vmid: number, config: object, type = "qemu"): Promise<unknown> =>
    pve.control.post("/guests", { type, vmid, node: "pvea", name: `g${vmid}`, config });
  const taken = () =>
    site.rows(
      "select host(a.address) as address, g.vmid from ip_address a left join guest g on g.id = a.guest_id order by a.address",
    );

  it("are adopted once, of either family and type, where they are free", async () => {
    await place(100, { ipconfig0: "ip=192.0.2.12/24,gw=192.0.2.1,ip6=2001:db8::12/64" });
    await place(101, { net0: "name=eth0,bridge=vmbr0,ip=192.0.2.13/24,type=veth" }, "lxc");
    await place(102, { ipconfig0: "ip=192.0.2.99/24" });
    await place(103, { ipconfig0: "ip=dhcp" });
    await pve.sync();
    const adopted = [
      { address: "192.0.2.12", vmid: 100 },
      { address: "192.0.2.13", vmid: 101 },
      { address: "2001:db8::12", vmid: 100 },
    ];
    assert.deepEqual(await taken(), adopted);
    await pve.sync({ thorough: true });
    assert.deepEqual(await taken(), adopted);
    assert.deepEqual(await site.rows("select used from ip_zone order by id"), [{ used: 2 }, { used: 1 }]);
  });

  it("stay with whom they belong to", async () => {
    await site.rows("insert into ip_address (zone_id, address) values (1, '192.0.2.12')");
    await place(100, { ipconfig0: "ip=192.0.2.12/24" });
    await place(101, { ipconfig0: "ip=192.0.2.13/24" });
    await place(102, { ipconfig0: "ip=192.0.2.13/24" });
    await pve.sync();
    assert.deepEqual(await taken(), [
      { address: "192.0.2.12", vmid: null },
      { address: "192.0.2.13", vmid: 101 },
    ]);
  });

  it("are released some minutes after the guest has gone, not before", async () => {
    await place(100, { ipconfig0: "ip=192.0.2.12/24" });
    await pve.sync();
    await pve.control.delete("/guests/100");
    for (const [seconds, left] of [
      [0, 1],
      [4 * 60, 1],
      [2 * 60, 0],
    ] as const) {
      site.clock.shift(seconds);
      await pve.sync();
      assert.equal((await taken()).length, left);
    }
  });

  it("come back with the guest", async () => {
    await place(100, { ipconfig0: "ip=192.0.2.12/24" });
    await pve.sync();
    await pve.control.delete("/guests/100");
    await pve.sync();
    await place(100, { ipconfig0: "ip=192.0.2.12/24" });
    site.clock.shift(6 * 60);
    await pve.sync();
    assert.deepEqual(await taken(), [{ address: "192.0.2.12", vmid: 100 }]);
  });
});
