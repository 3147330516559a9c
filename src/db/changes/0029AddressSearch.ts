// Schema change 29: guests are found by an address, of a zone or of their own configuration, without reading them all.
import { Migration } from "@mikro-orm/migrations";

export class Change0029AddressSearch extends Migration {
  override up(): void {
    this.addSql(`create index ip_address_address on ip_address (address)`);
    this.addSql(`create index guest_addresses on guest using gin (ip_addresses) where gone_at is null`);
  }

  override down(): void {
    this.addSql(`drop index guest_addresses, ip_address_address`);
  }
}
