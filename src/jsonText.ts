// JSON that PostgreSQL composed and that is passed on as it is, in place of the record or the list that it describes.

/** Stands where a record or a list of records would; REST writes `text` into its answer. */
export class JsonText {
  /** Resolvers take and give records without looking into them: this counts as one. */
  readonly [field: string]: unknown;

  constructor(readonly text: string) {}
}
