// Checks that guests to which nothing happened are told apart from others without loss: as if every row were made and compared.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { GuestStatus, GuestType } from "../../src/core/enums.js";
import { NO_MARKS } from "../../src/core/inventory/identity.js";
import { MIB } from "../../src/core/units.js";
import { describeConfig } from "../../src/hypervisor/proxmox/config/describeConfig.js";
import type { ObservedGuest } from "../../src/hypervisor/observed.js";
import { guestRow, type GuestRow, type Reading } from "../../src/inventory/guestRows.js";
import { sortGuests } from "../../src/inventory/unchangedGuests.js";
import type { KnownGuest, StoredGuest } from "../../src/store/guest/stored.js";

const CONFIG = describeConfig({ type: GuestType.QEMU, vmid: 100 }, { memory: "1024" }, "");
const NOW = Date.UTC(2026, 0, 1);
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null, freq: 6 });
const name = fc.constantFrom("web1", "web2");
const node = fc.constantFrom("pvea", "pveb");
const status = fc.constantFrom(...Object.values(GuestStatus));
const tags = fc.constantFrom([], ["a"], ["b"], ["a", "b"]);
const lock = fc.constantFrom(null, null, "backup");
const cores = fc.constantFrom(1, 2);
const memoryMb = fc.constantFrom(512, 1024);
const cpu = fc.constantFrom(0, 0.1, 0.105, 0.2);
const uptime = fc.constantFrom(0, 5, 9, 11, 3600);

const observed: fc.Arbitrary<ObservedGuest> = fc.record({
  type: fc.constant(GuestType.QEMU),
  vmid: fc.constant(100),
  node,
  name: orNull(name),
  status,
  template: fc.boolean(),
  lock,
  tags,
  cores: orNull(cores),
  memoryBytes: orNull(memoryMb.map((mb) => mb * MIB + 1)),
  diskBytes: orNull(fc.constantFrom(8, 9)),
  cpuUsage: orNull(cpu),
  memoryUsedBytes: orNull(memoryMb.map((mb) => (mb / 2 + 8) * MIB)),
  uptimeSeconds: orNull(uptime),
  lockCause: fc.constant(null),
  highlyAvailable: fc.boolean(),
});

const stored: fc.Arbitrary<StoredGuest> = fc.record({
  id: fc.constant(1),
  version: fc.constant(700),
  type: fc.constant(GuestType.QEMU),
  vmid: fc.constant(100),
  node,
  name,
  status,
  template: fc.boolean(),
  lock,
  tags,
  cores,
  memoryMb,
  diskBytes: fc.constantFrom(8, 9),
  systemDiskBytes: orNull(fc.constantFrom(1, 2)),
  unsizedDisks: orNull(fc.constantFrom([], ["scsi0"])),
  cpuUsage: orNull(cpu),
  memoryUsedMb: orNull(memoryMb.map((mb) => mb / 2)),
  startedAt: orNull(uptime.map((seconds) => NOW - seconds * 1000)),
  ipAddresses: fc.constantFrom([], ["192.0.2.1"]),
  storages: fc.constant(["local"]),
  unseenSince: orNull(fc.constant(NOW - 60_000)),
  configReadAt: orNull(fc.constant(NOW - 60_000)),
  identity: orNull(fc.constant({ marks: NO_MARKS, identifiedAt: 0, tasks: [], overview: "" })),
});

/** What is kept in memory of it. */
const knownOf = ({
  identity,
  diskBytes: _bytes,
  systemDiskBytes: _system,
  unsizedDisks: _unsized,
  ipAddresses: _ips,
  storages: _names,
  ...compared
}: StoredGuest): KnownGuest => ({
  ...compared,
  overview: identity?.overview ?? null,
  tasks: identity?.tasks ?? null,
});

/** What the platform shows of a guest that is as it is stored. */
const asStored = (guest: StoredGuest): ObservedGuest => ({
  ...guest,
  memoryBytes: guest.memoryMb * MIB,
  memoryUsedBytes: guest.memoryUsedMb === null ? null : guest.memoryUsedMb * MIB,
  uptimeSeconds: guest.startedAt === null ? null : (NOW - guest.startedAt) / 1000,
  lockCause: null,
  highlyAvailable: false,
});

const FIELDS = ["node", "name", "status", "template", "lock", "tags", "cores", "memoryBytes"] as const;
const LOAD = ["cpuUsage", "memoryUsedBytes", "uptimeSeconds"] as const;

/** With the row, if the guest is not new. */
type ReadingOfRow = Reading & { readonly row: StoredGuest | undefined };

/** Mostly a guest of which at most one thing and some of its load changed. */
const reading: fc.Arbitrary<ReadingOfRow> = fc
  .record({
    observed,
    stored,
    changed: fc.subarray([...FIELDS], { maxLength: 1 }),
    load: fc.subarray([...LOAD]),
    isNew: fc.integer({ min: 0, max: 20 }).map((number) => number === 0),
    looked: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, status),
    config: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.constant(CONFIG)),
    replacements: fc.constant([]),
  })
  .map(({ observed: other, stored: row, changed, load, isNew, looked, config, replacements }) => {
    const seen = Object.fromEntries([...changed, ...load].map((field) => [field, other[field]]));
    return {
      observed: { ...asStored(row), ...seen },
      known: isNew ? undefined : knownOf(row),
      row: isNew ? undefined : row,
      looked,
      config,
      replacements,
      now: NOW,
    };
  });

/** What is stored after what was sorted is written. */
function outcome({ row }: ReadingOfRow, { loads, others }: ReturnType<typeof sortGuests>): GuestRow | undefined {
  const [other] = others;
  if (other !== undefined) return guestRow(other, row);
  if (row === undefined) return undefined;
  const { id: _id, version: _version, ...facts } = row;
  return { ...facts, ...loads[0]?.load };
}

describe("inventory/unchangedGuests", () => {
  it("leads to the same rows as making and comparing all of them", () => {
    fc.assert(
      fc.property(reading, (one) => assert.deepEqual(outcome(one, sortGuests([one])), guestRow(one, one.row))),
      { numRuns: 5000 },
    );
  });

  it("makes no row of a guest that is as it was, and only a load of one that merely works more", () => {
    const [one] = fc.sample(stored, { seed: 1, numRuns: 1 });
    assert.ok(one !== undefined);
    const before = { ...one, status: GuestStatus.RUNNING, cpuUsage: 0.1, startedAt: NOW - 5000, unseenSince: null };
    const now = asStored(before);
    const known = knownOf(before);
    const sorted = (seen: ObservedGuest) =>
      sortGuests([{ observed: seen, known, looked: undefined, config: undefined, replacements: [], now: NOW }]);
    assert.deepEqual(sorted(now), { loads: [], others: [] });
    const load = { cpuUsage: 0.5, memoryUsedMb: before.memoryUsedMb, startedAt: before.startedAt };
    assert.deepEqual(sorted({ ...now, cpuUsage: 0.5 }), { loads: [{ guest: known, load }], others: [] });
  });
});
