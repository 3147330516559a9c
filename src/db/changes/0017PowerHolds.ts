// Schema change 17: a request that acts on a guest at once holds it as jobs do, for the moments that it takes.
import { Migration } from "@mikro-orm/migrations";

export class Change0017PowerHolds extends Migration {
  override up(): void {
    this.addSql(`alter table resource_lock alter column job_id drop not null`);
    this.addSql(`alter table resource_lock add column until timestamptz`);
    this.addSql(
      `alter table resource_lock add constraint resource_lock_holder check ((job_id is null) = (until is not null))`,
    );
  }

  override down(): void {
    this.addSql(`delete from resource_lock where job_id is null`);
    this.addSql(`alter table resource_lock drop column until`);
    this.addSql(`alter table resource_lock alter column job_id set not null`);
  }
}
