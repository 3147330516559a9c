// Chooses the places that long series try, as of the writes at which a worker can be killed: a third of them, unless told which.

/** A run, its trials and their processes try the same ones. */
export function choosePlaces() {
  process.env.DROVER_TEST_PLACES ??= `${1 + Math.floor(Math.random() * 3)}/3`;
  process.stdout.write(`Long series try the places ${process.env.DROVER_TEST_PLACES} (DROVER_TEST_PLACES).\n`);
}
