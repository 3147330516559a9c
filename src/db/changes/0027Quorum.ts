// Schema change 27: whether a host's cluster can change anything, as it was last seen; its minority cannot.
import { Migration } from "@mikro-orm/migrations";

export class Change0027Quorum extends Migration {
  override up(): void {
    this.addSql(`alter table host add column quorate boolean not null default true`);
  }

  override down(): void {
    this.addSql(`alter table host drop column quorate`);
  }
}
