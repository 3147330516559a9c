// To whom a changed guest is brought: exactly those who may see it, after one statement for all of them; nothing is done for the others.
import assert from "node:assert/strict";
import { graphql, type GraphQLSchema } from "graphql";
import { z } from "zod";
import { buildDroverSchema } from "../../resolvers/buildSchema.js";
import { guestSight } from "../../src/access/guestSight.js";
import type { Viewer } from "../../src/access/viewer.js";
import { UserRole } from "../../src/core/enums.js";
import { contextOf, managingToken, tokenViewer, userViewer } from "../support/context.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { countStatements } from "../support/statements.js";
import { until } from "../support/until.js";

const person = (role: UserRole, created_by: number | null = null) => ({
  username: `${role}${created_by ?? ""}`,
  role,
  created_by,
});

/** Reseller 2 made customers 4 and 7, reseller 3 made customer 5, nobody made customer 6. */
const ROWS = {
  user_account: [
    person(UserRole.ADMIN),
    { ...person(UserRole.RESELLER), username: "first" },
    { ...person(UserRole.RESELLER), username: "second" },
    person(UserRole.CUSTOMER, 2),
    person(UserRole.CUSTOMER, 3),
    person(UserRole.CUSTOMER),
    { ...person(UserRole.CUSTOMER, 2), username: "neighbour" },
  ],
  host: [{}, { name: "beta" }, { name: "gamma" }],
  node: [{}, { host_id: 2 }, { host_id: 3 }],
  reseller_node: [{ user_id: 2, node_id: 1 }],
  guest: [
    { vmid: 101, owner_id: 4 },
    { vmid: 102, owner_id: 5 },
    { vmid: 103, owner_id: 6 },
    { vmid: 104 },
    { vmid: 105, owner_id: 2 },
    { vmid: 106, host_id: 2, node_id: 2, owner_id: 4 },
    { vmid: 107, host_id: 2, node_id: 2, owner_id: 5 },
    { vmid: 108, owner_id: 4, gone_at: new Date(0) },
    { vmid: 109, host_id: 3, node_id: 3, owner_id: 5 },
  ],
};

const GONE = 8;

const LISTED = z.object({ guests: z.object({ items: z.array(z.object({ id: z.number(), hostId: z.number() })) }) });

const VIEWERS: Readonly<Record<string, Viewer>> = {
  "an administrator": userViewer(UserRole.ADMIN, 1),
  "an operator": userViewer(UserRole.OPERATOR, 1),
  "a reseller": userViewer(UserRole.RESELLER, 2),
  "another reseller": userViewer(UserRole.RESELLER, 3),
  "a customer": userViewer(UserRole.CUSTOMER, 4),
  "another customer": userViewer(UserRole.CUSTOMER, 5),
  "a customer without a reseller": userViewer(UserRole.CUSTOMER, 6),
  "a token": managingToken(),
  "a token of one host": managingToken([2]),
  "a token of two hosts": tokenViewer([1, 2]),
  "a token of a host that is gone": tokenViewer([9]),
};

const ascending = (one: number, other: number): number => one - other;

describe("the audience of changed guests", () => {
  let services: TestServices;
  let schema: GraphQLSchema;
  const ends: (() => void)[] = [];
  before(async () => {
    schema = buildDroverSchema();
    services = await createTestServices();
    await plant(services.pool, ROWS);
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });
  after(() => services.close());

  /** @returns what the follower is brought */
  const follow = (viewer: Viewer, hostId: number | null = null) => {
    const brought = { guests: new Set<number>(), hosts: new Set<number>() };
    const end = services.guestAudience.follow({
      sight: guestSight(viewer),
      hostId,
      guests: (ids) => ids.forEach((id) => brought.guests.add(id)),
      host: (id) => brought.hosts.add(id),
    });
    ends.push(end);
    return brought;
  };

  const everybody = managingToken([1, 2, 3]);
  /** Returns when everybody has been brought what they see of it: all do in the same turn, but there may be several readings. */
  const announce = async (topic: "guest" | "guests", ids: readonly number[]): Promise<void> => {
    const seeing = follow(everybody);
    for (const id of ids) services.events.emitLocal(topic, id);
    const brought = topic === "guest" ? seeing.guests : seeing.hosts;
    await until("everything is delivered", () => ids.every((id) => id === GONE || brought.has(id)));
  };

  const seenBy = async (viewer: Viewer, hostId: number | null): Promise<number[]> => {
    const contextValue = contextOf(services, viewer);
    const { data, errors } = await graphql({ schema, source: "{ guests { items { id hostId } } }", contextValue });
    assert.equal(errors, undefined);
    const { items } = LISTED.parse(data).guests;
    return items.filter((guest) => hostId === null || guest.hostId === hostId).map(({ id }) => id);
  };

  for (const [name, viewer] of Object.entries(VIEWERS)) {
    for (const hostId of [null, 1, 2]) {
      it(`brings ${name} what they see ${hostId === null ? "anywhere" : `of host ${hostId}`}, and nothing else`, async () => {
        const brought = follow(viewer, hostId);
        await announce("guest", [9, GONE, 7, 6, 5, 4, 3, 2, 1]);
        // Those that are gone as well to who sees every guest: nobody looks at them first.
        const there = [...brought.guests].filter((id) => id !== GONE);
        assert.deepEqual(there.toSorted(ascending), await seenBy(viewer, hostId));
      });
    }
  }

  it("brings a host on which many guests have changed to those who see one of them", async () => {
    const [customer, elsewhere, none] = [
      follow(VIEWERS["a customer"] ?? everybody),
      follow(managingToken([2])),
      follow(userViewer(UserRole.CUSTOMER, 99)),
    ];
    await announce("guests", [1, 2]);
    assert.deepEqual([...customer.hosts].toSorted(ascending), [1, 2]);
    assert.deepEqual([...elsewhere.hosts], [2]);
    assert.equal(none.hosts.size, 0);
  });

  it("brings a host to the reseller of an owner there, and to no other reseller", async () => {
    const [first, second] = [follow(userViewer(UserRole.RESELLER, 2)), follow(userViewer(UserRole.RESELLER, 3))];
    await announce("guests", [3]);
    assert.deepEqual([[...first.hosts], [...second.hosts]], [[], [3]]);
  });

  it("costs no more statements for thousands who follow what they cannot see", async () => {
    const brought = Array.from({ length: 5_000 }, (_, index) => follow(userViewer(UserRole.CUSTOMER, 1_000 + index)));
    const statements = await countStatements(() => announce("guest", [2, 3, 4]));
    assert.ok(statements < 10, `${statements} statements`);
    assert.deepEqual(
      brought.flatMap(({ guests }) => [...guests]),
      [],
    );
  });

  it("costs nothing while all who follow see every guest", async () => {
    const brought = follow(managingToken());
    assert.equal(await countStatements(async () => services.events.emitLocal("guest", 1)), 0);
    assert.deepEqual([...brought.guests], [1]);
  });

  it("brings everything to everybody while the database does not show whose the guests are", async () => {
    const brought = follow(userViewer(UserRole.CUSTOMER, 99));
    await services.pool.query(`alter table user_account rename to away`);
    try {
      await announce("guest", [2]);
      await announce("guests", [2]);
    } finally {
      await services.pool.query(`alter table away rename to user_account`);
    }
    assert.deepEqual([[...brought.guests], [...brought.hosts]], [[2], [2]]);
  });

  it("brings nothing to those who have left", async () => {
    const brought = [follow(everybody), follow(managingToken()), follow(userViewer(UserRole.CUSTOMER, 4))];
    for (const end of ends.splice(0)) end();
    await announce("guest", [1]);
    await announce("guests", [1]);
    assert.deepEqual(
      brought.flatMap(({ guests, hosts }) => [...guests, ...hosts]),
      [],
    );
  });
});
