// One machine is one host: whatever address, member or moment it is connected by, a second time is refused or stopped, and said.
import assert from "node:assert/strict";
import { graphql } from "graphql";
import { buildDroverSchema } from "../../../resolvers/buildSchema.js";
import { makeCertificates, type RunningHost } from "../../../simulator/host.js";
import { placeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { addHost, removeHost, syncHostNow, updateHost } from "../../../src/actions/host/host.js";
import type { HostInput } from "../../../src/actions/host/hostInput.js";
import type { Context } from "../../../src/context/context.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import { control } from "../../inventory/support/control.js";
import { connectionOf, insertHost, Site } from "../../inventory/support/site.js";
import { contextOf, managingToken } from "../../support/context.js";
import { refusedAs } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { hostInput } from "./input.js";

const MEMBERS = ["pve1", "pve2", "pve3"];

interface Alerted {
  readonly code: string;
  readonly message: string;
}

describe("one machine is one host", () => {
  let site: Site;
  let context: Context;
  beforeEach(async () => {
    site = await Site.open();
    context = contextOf(site.services, managingToken());
  });
  afterEach(() => site.close());

  const cluster = () => site.startHost({ name: "rack", nodes: MEMBERS });
  const names = async (): Promise<string[]> =>
    (await site.rows<{ name: string }>("select name from host order by id")).map(({ name }) => name);

  it("is not connected by a second member of its cluster: the answer names the first", async () => {
    const host = await cluster();
    await addHost(context, memberInput(host, 0, "first"));
    const refused = await refusedAs("conflict", addHost(context, memberInput(host, 1, "second")));
    assert.deepEqual(
      [refused.reason, refused.message],
      ["HOST_EXISTS", 'its node pve1 belongs to host "first", which is connected already'],
    );
    assert.deepEqual(await names(), ["first"]);
  });

  it("is connected once by three who connect a member each at the same time", async () => {
    const host = await cluster();
    const added = await Promise.allSettled(
      MEMBERS.map((name, index) => addHost(context, memberInput(host, index, name))),
    );
    const refusals = added.filter((one) => one.status === "rejected").map(({ reason }) => reason?.reason);
    assert.deepEqual(refusals, ["HOST_EXISTS", "HOST_EXISTS"]);
    assert.equal((await names()).length, 1);
    assert.equal((await site.rows("select from node")).length, MEMBERS.length);
  });

  it("is not reached by another host whose address is changed", async () => {
    const host = await cluster();
    await addHost(context, memberInput(host, 0, "first"));
    const other = await site.startHost({ name: "other" });
    const otherId = await addHost(context, hostInput(other));
    const refused = await refusedAs("conflict", updateHost(context, otherId, memberInput(host, 2, "other")));
    assert.equal(refused.reason, "HOST_EXISTS");
  });

  it("is another one when only its name is the same, or only its certificate, or it reports none", async () => {
    const certificates = await makeCertificates(["pve", "pve2"]);
    const [alone, same, second] = [
      await site.startHost({ name: "pve", certificates }),
      await site.startHost({ name: "pve", nodes: ["pve", "pve2"], certificates }),
      await site.startHost({ name: "pve" }),
    ];
    await addHost(context, { ...hostInput(alone), name: "alone" });
    await addHost(context, { ...hostInput(same), name: "a cluster with the certificate of the domain" });
    await addHost(context, { ...hostInput(second), name: "a name like another's" });
    const older = await site.startHost({ name: "older" });
    await control(older.control).post("/faults", { method: "GET", path: "/nodes$", effect: "status", status: 501 });
    await addHost(context, { ...hostInput(older), name: "older" });
    assert.equal((await names()).length, 4);
    for (const { id } of await site.rows<{ id: number }>("select id from host")) await syncHostNow(context, id);
  });

  describe("after a host has joined the cluster of another", () => {
    let firstId: number;
    let joinedId: number;
    beforeEach(async () => {
      const host = await cluster();
      placeGuest(host.platform, guestOn("pve1"));
      firstId = await addHost(context, memberInput(host, 0, "first"));
      // As it is on record from the time when it was alone.
      const { hostname, port, tlsFingerprint } = memberInput(host, 2, "joined");
      const connection = { ...connectionOf(host), hostname, port, tlsFingerprint: tlsFingerprint ?? undefined };
      joinedId = await insertHost(site.services, connection, "joined");
      await plant(site.services.pool, { node: [{ host_id: joinedId, name: "pve3", status: "online" }] });
    });

    it("the later one is not read, its nodes are unknown, and an alert names what to remove", async () => {
      for (const thorough of [true, false, false]) {
        const refused = await refusedAs("conflict", syncHost(site.services, joinedId, { thorough }));
        assert.equal(refused.message, 'its node pve1 belongs to host "first", which is connected already');
      }
      await syncHostNow(context, firstId);
      assert.deepEqual(await site.rows("select vmid from guest where gone_at is null"), [{ vmid: 100 }]);
      assert.deepEqual(await site.rows("select name, status from node where host_id = $1", joinedId), [
        { name: "pve3", status: "unknown" },
      ]);
      assert.deepEqual(await alerts(), [
        "hosts first and joined have the same machines, joined is not read: remove one of the two",
      ]);
    });

    it("it is read when the other was removed", async () => {
      await refusedAs("conflict", syncHost(site.services, joinedId));
      await removeHost(context, firstId);
      await syncHost(site.services, joinedId);
      assert.deepEqual(
        await site.rows("select name from node order by name"),
        MEMBERS.map((name) => ({ name })),
      );
      assert.deepEqual(await alerts(), []);
    });
  });

  async function alerts(): Promise<string[]> {
    const { data } = await graphql({
      schema: buildDroverSchema(),
      source: `{ alerts { items { code message } } }`,
      contextValue: context,
    });
    const { alerts: found }: { alerts: { items: Alerted[] } } = JSON.parse(JSON.stringify(data));
    return found.items.filter(({ code }) => code === "HOST_CONNECTED_TWICE").map(({ message }) => message);
  }
});

/** How a member is reached. */
const memberInput = (host: RunningHost, index: number, name: string): HostInput => {
  const { url, fingerprint } = host.nodes[index] ?? assert.fail();
  const { hostname, port } = new URL(url);
  return { ...hostInput(host), name, hostname, port: Number(port), tlsFingerprint: fingerprint };
};

const guestOn = (node: string): Parameters<typeof placeGuest>[1] => ({
  type: "qemu",
  vmid: 100,
  node,
  name: "guest",
  status: "stopped",
  memory: 64,
  cores: 1,
  diskGb: 1,
  config: {},
  snapshots: [],
});
