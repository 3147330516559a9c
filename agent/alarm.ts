// Lets a loop sleep until a time has passed or somebody rings.
export class Alarm {
  readonly #sleepers = new Set<() => void>();
  #stopped = false;

  /** True once {@link stop} was called: from then on nobody sleeps. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Wakes everybody who sleeps lightly. */
  ring(): void {
    for (const wake of this.#sleepers) wake();
  }

  /** Wakes everybody, for good. */
  stop(): void {
    this.#stopped = true;
    this.ring();
  }

  /** Resolves after `ms`, or when the alarm rings; a deep sleeper hears only {@link stop}. */
  async sleep(ms: number, depth: "light" | "deep" = "light"): Promise<void> {
    if (this.#stopped || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#sleepers.delete(wake);
        resolve();
      };
      const wake = (): void => {
        if (depth === "light" || this.#stopped) end();
      };
      const timer = setTimeout(end, ms);
      this.#sleepers.add(wake);
    });
  }
}
