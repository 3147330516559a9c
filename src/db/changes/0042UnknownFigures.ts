// Schema change 42: which figures of guests, nodes and storages a host does not tell, so that their 0 is not taken for an amount.
import { Migration } from "@mikro-orm/migrations";

export class Change0042UnknownFigures extends Migration {
  override up(): void {
    // Null: no configuration was read yet. `disk_bytes` counts the other disks: it is what there is at least.
    this.addSql(`alter table guest add column unsized_disks text[] default '{}'`);
    // A guest without disks and one whose disks were of unknown size look the same: the next reading of its configuration tells.
    this.addSql(`update guest set unsized_disks = null where disk_bytes = 0`);
    this.addSql(`alter table node add column load_known boolean not null default true`);
    this.addSql(`alter table storage add column room_known boolean not null default true`);
  }

  override down(): void {
    this.addSql(`alter table storage drop column room_known`);
    this.addSql(`alter table node drop column load_known`);
    this.addSql(`alter table guest drop column unsized_disks`);
  }
}
