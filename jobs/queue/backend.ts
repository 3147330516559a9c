// What the job queue needs of a database that holds its entries.
import type { AgendaOptions } from "agenda";

/** Where wake-ups are kept. */
export interface Backend {
  readonly options: Pick<AgendaOptions, "backend" | "notificationChannel">;
  check(): Promise<void>;
  close(): Promise<void>;
}
