// Schema change 45: what a node runs beside the platform's own version, by which it is known which nodes can send each other guests.
import { Migration } from "@mikro-orm/migrations";

export class Change0045NodeSoftware extends Migration {
  override up(): void {
    // Null: not known, until the next details of the node are read. The previous version neither writes nor reads them.
    this.addSql(`
      alter table node
        add column qemu_server text,
        add column pve_container text,
        add column architecture text,
        add column software_read_at timestamptz`);
  }

  override down(): void {
    this.addSql(`
      alter table node
        drop column qemu_server, drop column pve_container, drop column architecture, drop column software_read_at`);
  }
}
