// Watches in every process for unattended duties and overdue tasks, and reports them in metrics and in the log.
import { isDatabaseTrouble } from "../../src/db/databaseTrouble.js";
import type { Services } from "../../src/context/context.js";
import { DUTIES, DUTY_WORDS, PERIODIC_TASKS } from "../../src/core/duty.js";
import { dutiesUnattended, tasksOverdue } from "../../src/observability/metrics.js";
import { pause } from "../../src/concurrency/pause.js";
import { LATE_TASKS, UNATTENDED_DUTIES } from "../../src/reads/models/duty.js";

const LOOK_MS = 30_000;

type Looking = Pick<Services, "pool" | "clock" | "log">;

interface DutyWatch {
  stop(): Promise<void>;
}

/** Looks at once and then twice a minute, until it is stopped. */
export function watchDuties(services: Looking): DutyWatch {
  const stopping = new AbortController();
  const watching = (async () => {
    let known: readonly string[] = [];
    while (!stopping.signal.aborted) {
      known = await look(services, known).catch((error: unknown) => failed(services, error, known));
      await pause(LOOK_MS, stopping.signal);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

/**
 * Sets the metrics, and logs what was not so at the last look.
 * @param known the sentences of the last look
 * @returns those of this one
 */
export async function look(services: Looking, known: readonly string[]): Promise<readonly string[]> {
  const { pool, clock, log } = services;
  const duties = await pool.query<{ duty: string }>(UNATTENDED_DUTIES);
  const tasks = await pool.query<{ task: string }>(`select task from (${LATE_TASKS}) late where since < $1`, [
    clock.now(),
  ]);
  const unattended = new Set(duties.rows.map(({ duty }) => duty));
  const overdue = new Set(tasks.rows.map(({ task }) => task));
  for (const duty of DUTIES) dutiesUnattended.set({ duty }, unattended.has(duty) ? 1 : 0);
  for (const { name: task } of PERIODIC_TASKS) tasksOverdue.set({ task }, overdue.has(task) ? 1 : 0);
  const sentences = [
    ...DUTIES.filter((duty) => unattended.has(duty)).map((duty) => `no process ${DUTY_WORDS[duty]}`),
    ...[...overdue].map((task) => `the task ${task} is overdue, or fails`),
  ];
  for (const sentence of sentences) if (!known.includes(sentence)) log.warn(sentence);
  return sentences;
}

function failed({ log }: Looking, error: unknown, known: readonly string[]): readonly string[] {
  if (!isDatabaseTrouble(error)) log.warn({ err: error }, "standing work could not be looked at");
  return known;
}
