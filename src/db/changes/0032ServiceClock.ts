// Schema change 32: moments that are shown, or kept for days, are told by the service's clock, which trials shift.
import { Migration } from "@mikro-orm/migrations";

/** Columns whose default is the present. Leases, turns and deadlines are the database's own, and compared with nothing else. */
const TOLD: readonly (readonly [table: string, column: string])[] = [
  ["user_account", "created_at"],
  ["ssh_key", "created_at"],
  ["session", "created_at"],
  ["api_token", "created_at"],
  ["host", "created_at"],
  ["node", "created_at"],
  ["plan", "created_at"],
  ["guest", "created_at"],
  ["os_template", "created_at"],
  ["ct_template", "created_at"],
  ["ip_zone", "created_at"],
  ["ip_address", "since"],
  ["port_forward", "created_at"],
  ["job", "created_at"],
  ["job_step", "started_at"],
  ["agent_job", "created_at"],
  ["migration", "created_at"],
  ["temporary_token", "created_at"],
  ["run", "created_at"],
  ["ip_address_holding", "since"],
];

// A period without length, as of what is reserved and given back in one transaction, is none.
const endHolding = (present: string): string => `
  create or replace function end_holding(of_zone integer, of_address inet) returns void language sql as $$
    delete from ip_address_holding where zone_id = of_zone and address = of_address and until is null and since >= ${present};
    update ip_address_holding set until = ${present} where zone_id = of_zone and address = of_address and until is null;
  $$`;

export class Change0032ServiceClock extends Migration {
  override up(): void {
    // Connections of a service whose clock is shifted say by how much.
    this.addSql(`
      create function service_now() returns timestamptz language sql stable parallel safe as $$
        select now() + coalesce(nullif(current_setting('drover.clock_offset', true), ''), '0')::float8 * interval '1 second'
      $$`);
    for (const [table, column] of TOLD) {
      this.addSql(`alter table ${table} alter column ${column} set default service_now()`);
    }
    this.addSql(endHolding("service_now()"));
  }

  override down(): void {
    for (const [table, column] of TOLD) this.addSql(`alter table ${table} alter column ${column} set default now()`);
    this.addSql(endHolding("now()"));
    this.addSql(`drop function service_now`);
  }
}
