// What the service does besides listing, with tables of many rows: no statement reads one from end to end, and none is read when a row goes that others refer to.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { runJob } from "../../../jobs/engine/executor.js";
import { runAllTasks } from "../../../jobs/periodic/tasks.js";
import { sweep } from "../../../jobs/periodic/sweep.js";
import { deleteGuest } from "../../../src/actions/guest/deleteGuest.js";
import { assignGuest } from "../../../src/actions/guest/assignGuest.js";
import { createGuest } from "../../../src/actions/guest/createGuest.js";
import * as guests from "../../../src/store/guest/record.js";
import { deleteSafetyCopies } from "../../../src/actions/guest/safetyCopy.js";
import { removeHost } from "../../../src/actions/host/host.js";
import { createPortForward, deletePortForward } from "../../../src/actions/host/portForward.js";
import { sweepTokens } from "../../../jobs/migration/removeTokens.js";
import { findMovingGuest, loadMoveRecords } from "../../../src/migration/moveRecords.js";
import { login } from "../../../src/actions/accounts/session.js";
import { evacuationCandidates } from "../../../src/actions/run/evacuationCandidates.js";
import { startEvacuation } from "../../../src/actions/run/evacuation.js";
import type { Context } from "../../../src/context/context.js";
import { GuestStatus, GuestType } from "../../../src/core/enums.js";
import { inTransaction } from "../../../src/db/transaction.js";
import { DroverError } from "../../../src/errors/errors.js";
import { Beats } from "../../../heartbeat/beats.js";
import { NO_GUESTS } from "../../../src/store/guest/present.js";
import * as hostSync from "../../../src/store/hostSync.js";
import { loadStored } from "../../../src/store/storedHost.js";
import { executorFor } from "../../jobs/killing.js";
import { contextOf, managingToken } from "../../support/context.js";
import { noPlatform } from "../../support/services.js";
import { openLargeFleet, recording, type LargeFleet, type Statement } from "./largeFleet.js";

const HOST = 23;

/** Work on the fleet, in an order that it can be done in. */
const WORK: Readonly<Record<string, (context: Context) => Promise<unknown>>> = {
  "the sweep": sweep,
  "the sweep of tokens": sweepTokens,
  "the periodic tasks": runAllTasks,
  "a sync": (context) => sync(context),
  "a heartbeat": (context) => beat(context),
  "a login": (context) => assert.rejects(login(context, { username: "customer500", password: "wrong" })),
  "the owner of a guest": (context) => assignGuest(context, 1_000, present(111)),
  "a status": ({ pool }) => guests.setStatusIfFree(pool, { id: 111, status: GuestStatus.STOPPED, at: new Date() }),
  "a port forward": async (context) =>
    deletePortForward(context, await createPortForward(context, { guestId: 120, protocol: "tcp", guestPort: 22 })),
  "the deletion of safety copies": (context) => deleteSafetyCopies(context, [253]),
  "the records of a move": ({ pool }) => recordsOfMove(pool),
  "candidates for an evacuation": (context) => evacuationCandidates(context, { hostId: HOST }),
  "an evacuation": (context) => startEvacuation(context, { hostId: HOST, guestIds: [110, 111] }),
  "a deletion": async (context) => run(context, await deleteGuest(context, present(113))),
  "a creation": async (context) => run(context, await createGuest(context, 7, CREATION)),
  "the end of a host": (context) => removeHost(context, 9),
};

/** They are about so many rows at once that to read the table is the best plan there is. */
const READ_WHOLE: Readonly<Record<string, readonly string[]>> = {
  "the sweep": ["port_forward"],
  "the periodic tasks": ["node_sample", "agent_job"],
  "candidates for an evacuation": ["migration"],
};

const CREATION = {
  type: GuestType.LXC,
  name: "new1",
  node: "auto",
  cores: 1,
  memoryMb: 512,
  diskGb: 5,
  osTemplate: "local:vztmpl/debian-12-standard.tar.zst",
  password: "correct horse battery",
};

/** Guests go to the nodes in turns, of which each host has five. */
const present = (id: number) => ({
  hostId: Math.floor((id % 500) / 5) + 1,
  type: id % 4 === 0 ? GuestType.LXC : GuestType.QEMU,
  vmid: 100 + id,
});

async function sync({ pool }: Context): Promise<void> {
  const { readAt, lastSyncAt } = await loadStored(pool, HOST, { guests: NO_GUESTS });
  assert.notEqual(lastSyncAt, null);
  const synced = {
    version: null,
    vmidLower: null,
    vmidUpper: null,
    kind: "cluster",
    clusterName: "cluster3",
    quorate: true,
  } as const;
  await inTransaction(pool, (client) =>
    hostSync.settle(client, { hostId: HOST, now: new Date(), held: [], endedBefore: readAt, ...synced }),
  );
}

async function beat({ pool, clock }: Context): Promise<void> {
  const requestLog = { makeRoom: () => Promise.resolve() };
  const beats = new Beats({ pool, clock, requestLog, path: "/heartbeat" });
  assert.deepEqual(await beats.waiting(HOST), []);
}

async function recordsOfMove(pool: Pool): Promise<void> {
  const guest = await findMovingGuest(pool, 112);
  const request = { targetHostId: 25, targetNode: "pve25-1", ipZoneId: null, bandwidthMib: null };
  const question = { guest, node: guest.node, request };
  const recordsOf = await loadMoveRecords(pool, [question], null);
  assert.ok(recordsOf(question).takenPorts.length > 0);
}

const away = () => Promise.reject(new DroverError("platform", "the host is away"));

const run = (context: Context, { jobId }: { readonly jobId: number }): Promise<void> =>
  runJob(executorFor(context, "worker"), jobId);

describe("db/plans of work", function () {
  this.timeout(1_800_000);
  let fleet: LargeFleet;

  before(async () => {
    fleet = await openLargeFleet({ hypervisors: { ...noPlatform, of: away, once: away, prompt: away } });
  });
  after(() => fleet.services.close());

  for (const [name, work] of Object.entries(WORK)) {
    it(`reads no large table from end to end: ${name}`, async () => {
      const statements: Statement[] = [];
      const pool = recording(fleet.services.pool, statements);
      const viewer = { ...managingToken(), tokenId: 1 };
      await work(contextOf({ ...fleet.services, pool }, viewer));
      assert.ok(statements.length > 0);
      for (const statement of statements) {
        const scanned = (await fleet.scanned(statement)).filter((table) => !READ_WHOLE[name]?.includes(table));
        assert.deepEqual(scanned, [], statement.text);
      }
    });
  }

  it("finds by index what refers to a row that goes", async () => {
    const { rows } = await fleet.services.pool.query<{ table: string; columns: string[] }>(UNINDEXED_REFERENCES);
    assert.deepEqual(
      rows.filter(({ table }) => fleet.large.has(table)),
      [],
    );
  });
});

/** Foreign keys whose columns no index begins with; but plans and API tokens never go. */
const UNINDEXED_REFERENCES = `
  select k.conrelid::regclass::text as table, array(select attname::text from unnest(k.conkey) n join pg_attribute a
    on a.attrelid = k.conrelid and a.attnum = n) as columns
  from pg_constraint k where k.contype = 'f' and k.conparentid = 0 and k.confrelid <> all('{plan,api_token}'::regclass[]) and not exists (
    select from pg_index i where i.indrelid = k.conrelid
      and (i.indkey::smallint[])[0:cardinality(k.conkey) - 1] @> k.conkey)`;
