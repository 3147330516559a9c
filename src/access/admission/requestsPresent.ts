// Counts the requests that wait for the service, from one sample of its load to the next.

/** One for each process. */
export class RequestsPresent {
  #now = 0;
  #seen = 0;

  /** Counts one more. @returns a function to be called once when the request ends */
  enter(): () => void {
    this.#now++;
    this.#seen++;
    return () => void this.#now--;
  }

  /**
   * How many there were since the last call, also those that have ended: while the process works on one without a pause, others wait
   * where it does not see them.
   */
  sinceLast(): number {
    const seen = this.#seen;
    this.#seen = this.#now;
    return seen;
  }
}
