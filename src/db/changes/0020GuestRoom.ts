// Schema change 20: pages of guests keep room for a second version of each row, so that a new load is written without touching indexes.
import { Migration } from "@mikro-orm/migrations";

export class Change0020GuestRoom extends Migration {
  override up(): void {
    this.addSql(`alter table guest set (fillfactor = 50)`);
  }

  override down(): void {
    this.addSql(`alter table guest reset (fillfactor)`);
  }
}
