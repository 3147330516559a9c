// Schema change 24: lets a job promise room on several storages: a move's disks may go to more than one.
import { Migration } from "@mikro-orm/migrations";

export class Change0024RoomByStorage extends Migration {
  override up(): void {
    this.addSql(`
      alter table capacity_reservation drop constraint capacity_reservation_pkey, add primary key (job_id, storage)`);
  }

  override down(): void {
    this.addSql(`
      delete from capacity_reservation r using capacity_reservation other
      where other.job_id = r.job_id and other.storage < r.storage`);
    this.addSql(`
      alter table capacity_reservation drop constraint capacity_reservation_pkey, add primary key (job_id)`);
  }
}
