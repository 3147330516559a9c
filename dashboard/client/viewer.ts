// Who is signed in, as the service has them now: the header shows them, and pages decide what they may do.
import { useQuery } from "urql";
import { ViewerDocument, type ViewerQuery } from "../generated/documents.js";

export type Viewer = NonNullable<ViewerQuery["viewer"]["user"]>;

/** Undefined until it was read, which the frame around all pages does. */
export function useViewer(): Viewer | undefined {
  const [{ data }] = useQuery({ query: ViewerDocument, requestPolicy: "cache-first" });
  return data?.viewer.user ?? undefined;
}
