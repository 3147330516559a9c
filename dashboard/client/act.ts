// Runs a mutation on behalf of a button: busy while it runs, and what came of it is told.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useCallback, useState } from "react";
import { useClient, type AnyVariables, type CombinedError } from "urql";
import { tellDone, tellFailure } from "../components/tell.js";

interface Telling<Data> {
  /** Said when it was done; nothing when left out. */
  readonly done?: (data: Data) => string;
  /** Title of what is said when it failed. */
  readonly failed: string;
  /** Shows a refusal where it belongs; true: all of it, and nothing else is said. */
  readonly refused?: (error: CombinedError) => boolean;
}

/** Resolves with the data, or with null when it failed, which the person was told. */
export type Act<Data, Variables> = (variables: Variables) => Promise<Data | null>;

export function useAct<Data, Variables extends AnyVariables>(
  mutation: TypedDocumentNode<Data, Variables>,
  { done, failed, refused }: Telling<Data>,
): readonly [Act<Data, Variables>, boolean] {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const act = useCallback(
    async (variables: Variables) => {
      setBusy(true);
      const { data, error } = await client.mutation(mutation, variables).toPromise();
      setBusy(false);
      if (error !== undefined) {
        if (refused?.(error) !== true) tellFailure(failed, error);
        return null;
      }
      if (data === undefined) return null;
      if (done !== undefined) tellDone(done(data));
      return data;
    },
    // The sentences are written anew with each rendering; the newest is as good as the first.
    [client, mutation],
  );
  return [act, busy];
}
