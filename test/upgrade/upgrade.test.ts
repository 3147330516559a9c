// An upgrade with jobs in flight: this release starts on what an earlier one has left behind when all its workers were killed.
import assert from "node:assert/strict";
import { sweep } from "../../jobs/periodic/sweep.js";
import { sweepTokens } from "../../jobs/migration/removeTokens.js";
import type { KilledJob } from "./captured.js";
import { openUpgradeStage, type UpgradeStage } from "./stage.js";

/** The last release, and one of 250 commits before. */
const RELEASES = ["00079ac.json.gz", "e1eda58.json.gz"];

/** A guest as the inventory has it. */
interface Known {
  readonly vmid: number;
  readonly host: string;
  readonly owner: string | null;
  readonly copy: boolean;
  readonly addresses: readonly string[];
}

const KNOWN = `
  select g.vmid, h.name as host, u.username as owner, g.safety_copy as copy,
    array(select host(a.address) from ip_address a where a.guest_id = g.id and a.job_id is null order by 1) as addresses
  from guest g join host h on h.id = g.host_id left join user_account u on u.id = g.owner_id
  where g.gone_at is null order by g.vmid, h.name`;

/** Where a guest is to be after its job, by the beginning of the job's kind; a run may leave it where it was. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  guest_create: ["pvea"],
  guest_reinstall: ["pvea"],
  guest_delete: [],
  migration: ["pveb"],
  safety_copy_delete: ["pveb"],
  balance_run: ["pvea", "pveb"],
  evacuation: ["pveb"],
};

const nameOf = ({ kind, vmid, stop }: KilledJob): string => `${kind}, guest ${vmid}, killed at statement ${stop}`;

for (const release of RELEASES) {
  describe(`an upgrade from ${release}`, function () {
    this.timeout(600_000);
    let stage: UpgradeStage;
    let known: Known[];

    before(async () => {
      stage = await openUpgradeStage(release);
      await stage.sync();
      await stage.work();
      await sweep(stage.services);
      await sweepTokens(stage.services);
      await stage.sync();
      known = (await stage.services.pool.query<Known>(KNOWN)).rows;
    });
    after(() => stage.close());

    it("ends every job well", async () => {
      const { rows } = await stage.services.pool.query(
        `select id, kind, status, step, error from job where status <> 'done' order by id`,
      );
      assert.deepEqual(rows, []);
    });

    it("moves the guests of every run, or reports why not", async () => {
      const { rows } = await stage.services.pool.query(
        `select vmid, status, reason from run_item where status not in ('done', 'done_with_warnings') order by id`,
      );
      assert.deepEqual(rows, []);
    });

    it("finds every guest once, on the host where its job has put it, owned and addressed", () => {
      const faults = stage.capture.jobs.flatMap((job) => {
        const here = known.filter(({ vmid, copy }) => vmid === job.vmid && !copy);
        const hosts = ENDS[job.kind.split(" ")[0] ?? ""] ?? [];
        const [guest] = here;
        if (hosts.length === 0) return here.length === 0 ? [] : [{ job: nameOf(job), here }];
        const isOnce = here.length === 1 && guest !== undefined && hosts.includes(guest.host);
        return isOnce && guest.owner === "ann" && guest.addresses.length === 1 ? [] : [{ job: nameOf(job), here }];
      });
      assert.deepEqual(faults, []);
    });

    it("leaves nothing running twice, and nothing locked on any host", () => {
      const running = [...stage.hosts.values()].flatMap(({ name, platform }) =>
        [...platform.state.guests.values()].map(({ vmid, runtime, config }) => ({
          name,
          vmid,
          runtime,
          lock: config.lock,
        })),
      );
      const twice = running.filter(
        ({ vmid, runtime, name }) =>
          runtime !== null &&
          running.some((other) => other.vmid === vmid && other.name !== name && other.runtime !== null),
      );
      assert.deepEqual(twice, []);
      assert.deepEqual(
        running.filter(({ lock }) => lock !== undefined),
        [],
      );
    });

    it("holds nothing any longer, and leaves no temporary token", async () => {
      const { rows } = await stage.services.pool.query(
        `select (select count(*) from resource_lock)::int as locks, (select count(*) from vmid_reservation)::int as vmids,
           (select count(*) from ip_address where job_id is not null)::int as addresses,
           (select count(*) from temporary_token where removed_at is null)::int as tokens`,
      );
      assert.deepEqual(rows, [{ locks: 0, vmids: 0, addresses: 0, tokens: 0 }]);
    });
  });
}
