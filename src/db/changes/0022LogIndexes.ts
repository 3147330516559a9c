// Schema change 22: the request log keeps the indexes that its lists need and no more: a heartbeat's line is in two of them instead of five.
import { Migration } from "@mikro-orm/migrations";

export class Change0022LogIndexes extends Migration {
  override up(): void {
    this.addSql(`drop index request_log_at, request_log_token, request_log_status`);
    // Read backwards it is the order of the list.
    this.addSql(`alter table request_log drop constraint request_log_pkey, add primary key (at, id)`);
    this.addSql(`create index request_log_token on request_log (token_id, at desc) where token_id is not null`);
    // Most answers are successes: who looks for those finds them in the order of the list.
    this.addSql(`create index request_log_refused on request_log (at desc, id desc) where status >= 400`);
  }

  override down(): void {
    this.addSql(`drop index request_log_refused, request_log_token`);
    this.addSql(`alter table request_log drop constraint request_log_pkey, add primary key (id, at)`);
    this.addSql(`create index request_log_status on request_log (status, at desc)`);
    this.addSql(`create index request_log_token on request_log (token_id, at desc)`);
    this.addSql(`create index request_log_at on request_log (at desc, id desc)`);
  }
}
