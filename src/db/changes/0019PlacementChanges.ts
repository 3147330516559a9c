// Schema change 19: on which hosts something changed that placement decides on, and in which transaction.
import { Migration } from "@mikro-orm/migrations";

/** What a trigger calls the rows of a statement: as they were, and as they are. */
const ROWS = {
  insert: { present: "new" },
  update: { former: "old", present: "new" },
  delete: { former: "old" },
} as const;
type Event = keyof typeof ROWS;

const hostsOfRows = (rows: string): string => `select host_id from ${rows}`;
const hostsOfNodes = (rows: string): string => `select n.host_id from ${rows} r join node n on n.id = r.node_id`;

interface Followed {
  readonly table: string;
  readonly events: readonly Event[];
  /** The statement that finds the hosts of rows. */
  readonly hostsOf: (rows: string) => string;
}

/** What goes with its node is noted with the node. */
const FOLLOWED: readonly Followed[] = [
  { table: "node", events: ["insert", "update", "delete"], hostsOf: hostsOfRows },
  { table: "guest", events: ["insert", "update", "delete"], hostsOf: hostsOfRows },
  { table: "storage", events: ["insert", "update", "delete"], hostsOf: hostsOfNodes },
  { table: "agent", events: ["delete"], hostsOf: hostsOfNodes },
];

const triggerName = (event: Event, table: string): string => `${event}_of_${table}_changes_placement`;

/**
 * A reader that keeps what it read, and the snapshot of the database that it was read in, finds here what has changed since:
 * the hosts noted by transactions that its snapshot does not show. Nobody waits for anybody: a writer adds a row of its
 * transaction and removes the older ones that it sees, but for those that another is removing. Whoever does not see the
 * older one does not see the newer one either, so one is enough, and there is about one a host.
 *
 * Heartbeats are not noted: they come all the time, and a reader finds them by the age of their rows.
 */
export class Change0019PlacementChanges extends Migration {
  override up(): void {
    this.addSql(`
      create table placement_change (
        host_id integer not null,
        changed_in xid8 not null default pg_current_xact_id(),
        primary key (host_id, changed_in)
      )`);
    this.addSql(`
      create function note_placement_change(hosts integer[]) returns void language sql as $$
        with noted as (
          insert into placement_change (host_id) select unnest(hosts) on conflict do nothing returning host_id)
        delete from placement_change where (host_id, changed_in) in (
          select c.host_id, c.changed_in from placement_change c join noted using (host_id) for update of c skip locked)
      $$`);
    for (const followed of FOLLOWED) this.#follow(followed);
    this.addSql(`
      create function host_changes_placement() returns trigger language plpgsql as $$
        begin perform note_placement_change(array[coalesce(new.id, old.id)]); return null; end
      $$`);
    this.addSql(`
      create trigger host_changes_placement
        after insert or delete or update of name, active, maintenance, last_sync_at on host
        for each row execute function host_changes_placement()`);
  }

  #follow({ table, events, hostsOf }: Followed): void {
    for (const event of events) {
      const name = triggerName(event, table);
      const hosts = Object.keys(ROWS[event]).map(hostsOf).join(" union all ");
      const rows = Object.entries(ROWS[event]).map(([called, version]) => `${version} table as ${called}`);
      this.addSql(`
        create function ${name}() returns trigger language plpgsql as $$
          begin perform note_placement_change(array(select distinct host_id from (${hosts}) hosts)); return null; end
        $$`);
      this.addSql(`
        create trigger ${name} after ${event} on ${table} referencing ${rows.join(" ")}
          for each statement execute function ${name}()`);
    }
  }

  override down(): void {
    const names = FOLLOWED.flatMap(({ table, events }) => events.map((event) => triggerName(event, table)));
    this.addSql(`drop function host_changes_placement, ${names.join(", ")} cascade`);
    this.addSql(`drop function note_placement_change`);
    this.addSql(`drop table placement_change`);
  }
}
