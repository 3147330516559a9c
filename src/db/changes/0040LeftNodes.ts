// Schema change 40: a guest that is gone needs no node, so that a node that left its cluster can go before the guest's history does.
import { Migration } from "@mikro-orm/migrations";

export class Change0040LeftNodes extends Migration {
  override up(): void {
    this.addSql(`alter table guest alter column node_id drop not null`);
    this.addSql(
      `alter table guest add constraint guest_has_node check (node_id is not null or gone_at is not null) not valid`,
    );
    this.addSql(`alter table guest validate constraint guest_has_node`);
  }

  override down(): void {
    this.addSql(`delete from guest where node_id is null`);
    this.addSql(`alter table guest drop constraint guest_has_node`);
    this.addSql(`alter table guest alter column node_id set not null`);
  }
}
