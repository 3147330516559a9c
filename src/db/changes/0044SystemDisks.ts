// Schema change 44: which part of a guest's disk is its system disk, the one that a request's, a plan's and a template's figure means.
import { Migration } from "@mikro-orm/migrations";

export class Change0044SystemDisks extends Migration {
  override up(): void {
    // Null: not known, until a configuration is read by this version or a later one, which is some minutes for most guests. The
    // previous version writes `disk_bytes` without it, so that no check may compare the two, and a template's `min_disk_bytes` as
    // the sum of its disks, as it always was: what is refused then is too much, never too little.
    this.addSql(`alter table guest add column system_disk_bytes bigint`);
  }

  override down(): void {
    this.addSql(`alter table guest drop column system_disk_bytes`);
  }
}
