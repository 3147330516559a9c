// Schema change 12: the storages of each guest's disks; whether a template is shared follows from them, node by node.
import { Migration } from "@mikro-orm/migrations";

export class Change0012GuestStorages extends Migration {
  override up(): void {
    this.addSql(`alter table guest add column storages text[] not null default '{}'`);
    this.addSql(`alter table os_template drop column shared`);
  }

  override down(): void {
    this.addSql(`alter table os_template add column shared boolean not null default false`);
    this.addSql(`alter table guest drop column storages`);
  }
}
