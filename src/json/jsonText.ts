// JSON that was already composed, as text or bytes, and is passed on unparsed in place of the record or list that it describes.

/** Stands where a record or a list of records would; REST writes it into its answer. */
export class JsonText {
  /** Resolvers take and give records without looking into them: this counts as one. */
  readonly [field: string]: unknown;

  /** @param text text, or what is too large for one as pieces of UTF-8 */
  constructor(readonly text: string | readonly Buffer[]) {}
}
