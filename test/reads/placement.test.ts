// A placement that is written as text is the one that GraphQL would have made of its records.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { buildSchema, graphqlSync, type GraphQLResolveInfo } from "graphql";
import { placementOf, rank, type Ranking } from "../../src/core/placement/place.js";
import type { NodeState } from "../../src/core/placement/snapshot.js";
import { GIB } from "../../src/core/units.js";
import { placementText } from "../../src/reads/placement.js";
import { agent, context, host, node, NOW, request, snapshot, storage } from "../core/placement/example.js";

const schema = buildSchema(`
  type Query { place: Placement }
  type Placement { best: Ranked ranked: [Ranked!] dropped: [Dropped!] }
  type Ranked { hostId: Int node: String storage: String score: Float ramScore: Float cpuScore: Float storageScore: Float
    guestCount: Int explanation: String }
  type Dropped { hostId: Int node: String code: String reason: String }`);

const ALL_OF_RANKED = "hostId node storage score ramScore cpuScore storageScore guestCount explanation";
const DOCUMENTS = [
  `{ place { best { ${ALL_OF_RANKED} } ranked { ${ALL_OF_RANKED} } dropped { hostId node code reason } } }`,
  `query ($no: Boolean = false) { place { gone: dropped { host_id: hostId why: reason node @include(if: $no) } ...more } }
   fragment more on Placement { ranked { ...row } first: best { ...row } }
   fragment row on Ranked { name: node e: explanation score again: score }`,
];

const strange = fc.string({ unit: "binary", maxLength: 5 });
const nodes: fc.Arbitrary<NodeState[]> = fc.array(
  fc
    .record({
      name: strange,
      storageName: strange,
      hostName: strange,
      active: fc.boolean(),
      hostId: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      silence: fc.integer({ min: 0, max: 250 }),
      cpuAverage: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      memoryUsedMb: fc.integer({ min: 0, max: 65_536 }),
      guestCount: fc.nat(),
      freeBytes: fc.maxSafeInteger().map(Math.abs),
    })
    .map(({ hostId, hostName, active, storageName, silence, freeBytes, ...change }) =>
      node({
        ...change,
        host: host({ id: hostId, name: hostName, active }),
        agent: agent({ lastSeenAt: NOW - silence * 1000 }),
        storages: [storage({ name: storageName, freeBytes, totalBytes: Math.max(freeBytes, GIB) })],
      }),
    ),
  { maxLength: 8 },
);

describe("reads/placement", () => {
  for (const [index, document] of DOCUMENTS.entries()) {
    it(`is written under the names that were asked for: document ${index + 1}`, () => {
      fc.assert(
        fc.property(nodes, (some) => {
          const { asText, asRecords } = both(document, rank(snapshot(...some), request(), context()));
          assert.equal(asText, asRecords);
        }),
      );
    });
  }

  it("is null and empty lists where there are no nodes", () => {
    const { asText } = both(DOCUMENTS[0] ?? "", rank(snapshot(), request(), context()));
    assert.equal(asText, `{"best":null,"ranked":[],"dropped":[]}`);
  });

  it("is whole where it takes many pieces", () => {
    const many = Array.from({ length: 3_000 }, (_, index) => node({ name: `pve${index}`, online: index % 3 > 0 }));
    const { asText, asRecords } = both(DOCUMENTS[0] ?? "", rank(snapshot(...many), request(), context()));
    assert.equal(asText.length, asRecords.length);
    assert.equal(asText, asRecords);
  });
});

/** The same ranking, written as text by the read, and by GraphQL and JSON from its records. */
function both(source: string, ranking: Ranking): { asText: string; asRecords: string } {
  let pieces: string | readonly Buffer[] = [];
  const place = (_arguments: unknown, _context: unknown, info: GraphQLResolveInfo) => {
    pieces = placementText(ranking, info).text;
    return placementOf(ranking);
  };
  const { data, errors } = graphqlSync({ schema, source, rootValue: { place } });
  assert.equal(errors, undefined);
  return {
    asText: typeof pieces === "string" ? pieces : Buffer.concat(pieces).toString(),
    asRecords: JSON.stringify(data?.["place"]),
  };
}
