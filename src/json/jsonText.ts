// JSON that was already composed and is passed on unparsed in place of the record or list that it describes.

/** Stands where a record or a list of records would; REST writes it into its answer. */
export class JsonText {
  /** Resolvers take and give records without looking into them: this counts as one. */
  readonly [field: string]: unknown;

  constructor(readonly text: string) {}
}
