// Names what the demo waits for when it takes long, at growing intervals.

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** Adds why it takes long. */
export type Note = (reason: string) => void;

interface Telling {
  readonly say: (line: string) => void;
  /** Until the first line; each further one comes after twice as long. */
  readonly firstMs: number;
}

const usual: Telling = { say: (line) => void process.stdout.write(`${line}\n`), firstMs: FIRST_MS };

/** @param name a sentence that says what happens @throws whatever the work throws */
export async function stage<Result>(
  name: string,
  work: (note: Note) => Promise<Result>,
  { say, firstMs }: Telling = usual,
): Promise<Result> {
  const began = performance.now();
  let reason = "";
  let timer = setTimeout(tell, firstMs, firstMs);
  function tell(waitedMs: number): void {
    say(`Still waiting after ${Math.round((performance.now() - began) / 1000)} s: ${name}${reason}`);
    const nextMs = Math.min(waitedMs * 2, LONGEST_MS);
    timer = setTimeout(tell, nextMs, nextMs);
  }
  try {
    return await work((text) => {
      reason = ` (${text})`;
    });
  } finally {
    clearTimeout(timer);
  }
}
