// Keeps what a subscriber has still to be told: each changed id once, however often it changed meanwhile.

/** Ids in the order in which they first changed. A slow subscriber makes it no larger than there are records. */
export class ChangedIds {
  readonly #ids = new Set<number>();
  #wake: (() => void) | null = null;
  #closed = false;

  add(ids: Iterable<number>): void {
    for (const id of ids) this.#ids.add(id);
    this.#wake?.();
  }

  /** Waits for changes and takes at most `most` of them. @returns an empty list once closed */
  async take(most: number): Promise<number[]> {
    while (this.#ids.size === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#closed) return [];
    const taken: number[] = [];
    for (const id of this.#ids) {
      if (taken.length === most) break;
      taken.push(id);
      this.#ids.delete(id);
    }
    return taken;
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }
}
