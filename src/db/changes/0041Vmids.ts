// Schema change 41: from which range a host gives out VMIDs, and which of them it has refused lately.
import { Migration } from "@mikro-orm/migrations";

export class Change0041Vmids extends Migration {
  override up(): void {
    // The platform's own range, where nobody has set another.
    this.addSql(`alter table host add column vmid_lower integer not null default 100`);
    this.addSql(`alter table host add column vmid_upper integer not null default 1000000`);
    this.addSql(`
      create table vmid_refusal (
        host_id integer not null references host (id) on delete cascade,
        vmid integer not null check (vmid between 100 and 999999999),
        until timestamptz not null,
        primary key (host_id, vmid)
      )`);
  }

  override down(): void {
    this.addSql(`drop table vmid_refusal`);
    this.addSql(`alter table host drop column vmid_lower, drop column vmid_upper`);
  }
}
