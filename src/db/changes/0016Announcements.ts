// Schema change 16: what people keep is announced too: accounts, plans, templates, addresses, tokens, settings, and requests.
import { Migration } from "@mikro-orm/migrations";

/** What each table is announced as when its rows come, change or go. */
const TOPICS = {
  user_account: "user",
  ssh_key: "user",
  reseller_node: "user",
  plan: "plan",
  ct_template: "template",
  api_token: "token",
  setting: "settings",
} as const;

/** How rows come, change and go, and what a trigger calls those that did. */
const EVENTS = { insert: "new", update: "new", delete: "old" } as const;
type Event = keyof typeof EVENTS;

export class Change0016Announcements extends Migration {
  override up(): void {
    this.addSql(`
      create function announce_any() returns trigger language plpgsql as $$
        begin
          if exists (select from changed) then perform announce(tg_argv[0], 0); end if;
          return null;
        end
      $$`);
    for (const [table, topic] of Object.entries(TOPICS)) this.#on(table, EVERY, `announce_any('${topic}')`);

    // With the host's id, for those who see only some hosts.
    this.addSql(`
      create function announce_of_hosts() returns trigger language plpgsql as $$
        begin
          perform announce(tg_argv[0], host_id) from (select distinct host_id from changed) hosts;
          return null;
        end
      $$`);
    this.#on("os_template", EVERY, `announce_of_hosts('template')`);
    // A zone's counters change with its addresses, which are announced themselves.
    this.#on("ip_zone", ["insert", "delete"], `announce_of_hosts('address')`);

    this.addSql(`
      create function announce_addresses() returns trigger language plpgsql as $$
        begin
          perform announce('address', host_id)
          from (select distinct z.host_id from changed join ip_zone z on z.id = changed.zone_id) hosts;
          return null;
        end
      $$`);
    this.#on("ip_address", EVERY, `announce_addresses()`);

    this.addSql(`
      create function announce_files() returns trigger language plpgsql as $$
        begin
          perform announce('template', host_id)
          from (select distinct n.host_id from changed join node n on n.id = changed.node_id) hosts;
          return null;
        end
      $$`);
    this.#on("node_file", EVERY, `announce_files()`);

    // The ports of a guest are shown with it.
    this.addSql(`
      create function announce_forward() returns trigger language plpgsql as $$
        begin perform announce('guest', coalesce(new.guest_id, old.guest_id)); return null; end
      $$`);
    this.addSql(`
      create trigger port_forward_changed after insert or delete on port_forward
        for each row execute function announce_forward()`);

    // What people do in the panel is no news: who looks at the log would make news of it.
    this.addSql(`
      create function announce_requests() returns trigger language plpgsql as $$
        begin
          if exists (select from changed where token_id is not null or status >= 400) then
            perform announce('request', 0);
          end if;
          return null;
        end
      $$`);
    this.#on("request_log", ["insert"], `announce_requests()`);
  }

  #on(table: string, events: readonly Event[], call: string): void {
    for (const event of events) {
      this.addSql(`
        create trigger ${table}_announces_${event} after ${event} on ${table}
          referencing ${EVENTS[event]} table as changed for each statement execute function ${call}`);
    }
  }

  override down(): void {
    this.addSql(`
      drop function announce_any, announce_of_hosts, announce_addresses, announce_files, announce_forward, announce_requests
        cascade`);
  }
}

const EVERY: readonly Event[] = ["insert", "update", "delete"];
