// What jobs have stored as JSON: every shape that a release ever wrote is read, and nothing else.
import assert from "node:assert/strict";
import { z } from "zod";
import { openStored, SHAPES, versionOf } from "../../src/job/kinds.js";
import { openShape, Unreadable, type Shape } from "../../src/job/shape.js";
import { JobKind } from "../../src/core/enums.js";
import { REQUIRED } from "./required.js";
import { SAMPLES } from "./samples.js";

/** Paths of everything that must be there, such as `input.room.memoryMb`. */
function requiredPaths(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {}, required = [], items, anyOf = [], oneOf = [], additionalProperties } = schema as Described;
  return [
    ...required.map((name) => `${path}.${name}`),
    ...Object.entries(properties).flatMap(([name, inner]) => requiredPaths(inner, `${path}.${name}`)),
    ...requiredPaths(items, `${path}[]`),
    ...requiredPaths(additionalProperties, `${path}{}`),
    ...[...anyOf, ...oneOf].flatMap((inner) => requiredPaths(inner, path)),
  ];
}

interface Described {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
  readonly additionalProperties?: unknown;
}

const requiredOf = ({ input, facts }: Shape): string[] =>
  [
    ...new Set([...requiredPaths(z.toJSONSchema(input), "input"), ...requiredPaths(z.toJSONSchema(facts), "facts")]),
  ].toSorted();

describe("what jobs have stored", () => {
  for (const { since, reads, ...job } of SAMPLES) {
    it(`is read as ${job.kind} wrote it since ${since}`, () => {
      const { input, facts } = openStored(job);
      if (reads.input !== undefined) assert.deepEqual(input, reads.input);
      assert.deepEqual(facts, reads.facts ?? job.facts);
    });

    it(`is read the same once it was brought forward: ${job.kind} since ${since}`, () => {
      const forward = openStored(job);
      const again = openStored({ ...job, version: versionOf(job.kind), ...structuredClone(forward) });
      assert.deepEqual(again, forward);
    });
  }

  it("has a sample of every kind of job", () => {
    const kinds = new Set(SAMPLES.map(({ kind }) => kind));
    assert.deepEqual(
      Object.values(JobKind).filter((kind) => !kinds.has(kind)),
      [],
    );
  });

  it("keeps facts that no version names", () => {
    const job = {
      kind: JobKind.GUEST_DELETE,
      version: 0,
      input: {},
      facts: { later: 1 },
      guestId: null,
      stepsDone: [],
    };
    assert.deepEqual(openStored(job).facts, { later: 1 });
  });

  it("is not read when it is of a later version, no object, or lacks what it must have, and reports what is wrong", () => {
    const job = { kind: JobKind.MIGRATION, version: 0, input: {}, facts: {}, guestId: null, stepsDone: [] };
    const refused = (changes: object, message: RegExp): void =>
      assert.throws(
        () => openStored({ ...job, ...changes }),
        (error) => error instanceof Unreadable && message.test(error.message),
      );
    refused({ version: versionOf(JobKind.MIGRATION) + 1 }, /^it is of version \d+$/);
    refused({ input: [] }, /^input is no object$/);
    refused({ facts: null }, /^facts is no object$/);
    refused({}, /^input\.migrationId: .*; input\.guestId: /);
    refused({ input: SAMPLES[0]?.input, facts: { begun: "transfer" } }, /^facts\.begun: /);
  });

  it("is read of a reinstallation whose first release had kept nothing of the guest yet", () => {
    const image = { kind: "file", volid: "local:vztmpl/debian-12.tar.zst" };
    const job = { kind: JobKind.GUEST_REINSTALL, version: 0, input: { image }, guestId: 1, stepsDone: [] };
    assert.deepEqual(openStored({ ...job, facts: {} }), { input: { image }, facts: {} });
  });

  it("is brought forward one version at a time, from the one that it has", () => {
    const shape: Shape = {
      input: z.object({ steps: z.array(z.number()) }),
      facts: z.object({}),
      upgrades: [
        ({ input, facts }) => ({ input: { ...input, steps: [1] }, facts }),
        ({ input, facts }) => ({ input: { steps: [...z.array(z.number()).parse(input["steps"]), 2] }, facts }),
      ],
    };
    const open = (version: number, input: object) =>
      openShape(shape, { version, input, facts: {}, guestId: null, stepsDone: [] }).input;
    assert.deepEqual(open(0, {}), { steps: [1, 2] });
    assert.deepEqual(open(1, { steps: [7] }), { steps: [7, 2] });
    assert.deepEqual(open(2, { steps: [7] }), { steps: [7] });
  });

  for (const kind of Object.values(JobKind)) {
    it(`requires of ${kind} only what its version has always had: what is new is optional, or a new version`, () => {
      assert.deepEqual(
        { [versionOf(kind)]: requiredOf(SHAPES[kind]) },
        { [versionOf(kind)]: REQUIRED[kind][versionOf(kind)] },
      );
    });
  }
});
