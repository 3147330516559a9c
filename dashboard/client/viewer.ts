// Who is signed in, as the service has them now: the header shows them, and pages decide what they may do.
import { useClient, useQuery, type Client } from "urql";
import { ViewerDocument, type ViewerQuery } from "../generated/documents.js";

export type Viewer = NonNullable<ViewerQuery["viewer"]["user"]>;

const useViewerQuery = () => useQuery({ query: ViewerDocument, requestPolicy: "cache-first" })[0].data?.viewer;

/** Undefined until it was read, which the frame around all pages does. */
export const useViewer = (): Viewer | undefined => useViewerQuery()?.user ?? undefined;

/** Whether the person must set up a second factor before anything else. */
export const useIsSecondFactorDue = (): boolean => useViewerQuery()?.mustSetUpSecondFactor ?? false;

/** Reads who is signed in, and what they may do, again. */
export const readViewer = (client: Client): void =>
  void client.query(ViewerDocument, {}, { requestPolicy: "network-only" }).toPromise();

/** The same, for a component. */
export function useReadViewer(): () => void {
  const client = useClient();
  return () => readViewer(client);
}
