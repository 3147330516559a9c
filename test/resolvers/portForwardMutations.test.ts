// Port forwards over the whole way from the document to the agent's orders.
import assert from "node:assert/strict";
import { meet } from "../support/meet.js";
import { startExecution, type Execution } from "./execute.js";

describe("resolvers/portForwardMutations", () => {
  let execution: Execution;

  beforeEach(async () => {
    execution = await startExecution();
  });
  afterEach(() => execution.services.close());

  const forwards: readonly [string, string][] = [
    ["guestId: 99999", "undefined"],
    ["guestId: 1, publicPort: 2222", "PORT_TAKEN"],
    ["guestId: 2", "GUEST_HAS_NO_ADDRESS"],
    ["guestId: 121", "NAT_NOT_CONFIGURED"],
    ["guestId: 122", "SAFETY_COPY"],
  ];
  for (const [guest, reason] of forwards) {
    it(`refuses to forward for ${guest}: ${reason}`, async () => {
      const error = await execution.refuseMutation(
        "manager",
        `createPortForward(${guest}, protocol: "tcp", guestPort: 80) { id }`,
      );
      assert.equal(String(error.reason), reason, error.message);
    });
  }

  for (const [protocol, port] of [
    ["tcp", 22],
    ["tcp", 8006],
    ["tcp", 3128],
    ["tcp", 5900],
    ["udp", 5405],
  ] as const) {
    it(`refuses ${protocol} port ${port}, which is the node's own`, async () => {
      const error = await execution.refuseMutation(
        "manager",
        `createPortForward(guestId: 1, protocol: "${protocol}", publicPort: ${port}, guestPort: 80) { id }`,
      );
      assert.equal(error.kind, "validation");
      assert.match(error.message, /^publicPort: is the node's own, for /);
    });
  }

  it("forwards ports and orders the node's whole set from its agent", async () => {
    const made = await execution.mutate(
      "manager",
      'createPortForward(guestId: 1, protocol: "tcp", guestPort: 80) { id hostId node guestId protocol publicPort guestPort guestAddress }',
    );
    assert.deepEqual(made, {
      it: {
        id: 2,
        hostId: 1,
        node: "a1",
        guestId: 1,
        protocol: "tcp",
        publicPort: 10_000,
        guestPort: 80,
        guestAddress: "198.51.100.10",
      },
    });
    await execution.mutate(
      "manager",
      'createPortForward(guestId: 1, protocol: "tcp", publicPort: 443, guestPort: 443) { id }',
    );
    await execution.mutate("manager", "deletePortForward(id: 2)");
    const [order, ...older] = await execution.rows(
      "select payload from agent_job where kind = 'apply_port_forwards' and status = 'waiting'",
    );
    assert.deepEqual(older, []);
    assert.deepEqual(order, {
      payload: {
        forwards: [
          { id: 1, protocol: "tcp", public_port: 2222, guest_address: "198.51.100.10", guest_port: 22 },
          { id: 3, protocol: "tcp", public_port: 443, guest_address: "198.51.100.10", guest_port: 443 },
        ],
      },
    });
  });

  it("refuses to choose a port when all that may be chosen are taken: PORT_TAKEN", async () => {
    await execution.rows(
      `insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address)
       select node_id, id, 'tcp', port, 80, '198.51.100.10' from guest, generate_series(10000, 59999) port where id = 1`,
    );
    const error = await execution.refuseMutation(
      "manager",
      'createPortForward(guestId: 1, protocol: "tcp", guestPort: 80) { id }',
    );
    assert.deepEqual([error.kind, error.reason], ["conflict", "PORT_TAKEN"]);
  });

  it("orders an empty set when the last forward goes", async () => {
    await execution.mutate("manager", "deletePortForward(id: 1)");
    assert.deepEqual(await execution.rows("select payload from agent_job"), [{ payload: { forwards: [] } }]);
    assert.equal((await execution.refuseMutation("manager", "deletePortForward(id: 1)")).kind, "notFound");
  });

  it("orders from the agent that has it by now when the guest takes it to another node meanwhile", async () => {
    const { pool } = execution.services;
    const away = "update port_forward set node_id = (select max(id) from node) where id = 1 returning node_id";
    const outcomes = await meet(
      pool,
      async (client) => {
        await client.query("select from node for no key update");
        await client.query(away);
      },
      [() => execution.mutate("manager", "deletePortForward(id: 1)")],
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled"],
    );
    assert.deepEqual(await execution.rows("select id from port_forward"), []);
    assert.deepEqual(await execution.rows("select node_id = (select max(id) from node) as there from agent_job"), [
      { there: true },
    ]);
  });

  it("does not stand in the way of a sync, which writes the node before its guests", async () => {
    const outcomes = await meet(
      execution.services.pool,
      (client) => client.query("select from node where name = 'a1' for no key update"),
      [() => execution.mutate("manager", `createPortForward(guestId: 1, protocol: "tcp", guestPort: 80) { id }`)],
      (client) => client.query("update guest set name = 'seen' where id = 1"),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled"],
    );
  });

  it("orders the whole set when two guests of a node get forwards at once", async () => {
    const { pool } = execution.services;
    await pool.query(`update guest set ip_addresses = '{10.0.0.9}' where id = 2`);
    const make = (guestId: number) => () =>
      execution.mutate("manager", `createPortForward(guestId: ${guestId}, protocol: "tcp", guestPort: 80) { id }`);
    const outcomes = await meet(
      pool,
      (client) => client.query("select from node where name = 'a1' for no key update"),
      [make(1), make(2)],
    );
    assert.ok(outcomes.every(({ status }) => status === "fulfilled"));
    const orders = await execution.rows(
      "select payload->'forwards' as forwards from agent_job where status = 'waiting'",
    );
    const kept = await execution.rows(
      `select id, protocol, public_port, host(guest_address) as guest_address, guest_port from port_forward order by id`,
    );
    assert.deepEqual(orders, [{ forwards: kept }]);
    assert.equal(kept.length, 3);
  });

  it("gives 20 forwards that are asked for at once 20 ports", async () => {
    const make = () =>
      execution.mutate("manager", 'createPortForward(guestId: 1, protocol: "udp", guestPort: 53) { publicPort }');
    await Promise.all(Array.from({ length: 20 }, make));
    assert.deepEqual(
      await execution.rows("select count(distinct public_port)::int as ports from port_forward where protocol = 'udp'"),
      [{ ports: 20 }],
    );
  });
});
