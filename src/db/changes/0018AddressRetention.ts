// Schema change 18: how long it stays on record who held an address.
import { Migration } from "@mikro-orm/migrations";

export class Change0018AddressRetention extends Migration {
  override up(): void {
    this.addSql(`
      alter table setting add column address_history_retention_days integer not null default 365
        check (address_history_retention_days > 0)`);
    this.addSql(`create index ip_address_holding_until on ip_address_holding (until) where until is not null`);
  }

  override down(): void {
    this.addSql(`drop index ip_address_holding_until`);
    this.addSql(`alter table setting drop column address_history_retention_days`);
  }
}
