// Asks the service what fits a wish, when typing pauses.
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery, type CombinedError } from "urql";
import {
  SearchDocument,
  SearchWorkDocument,
  type SearchQuery,
  type SearchWorkQuery,
} from "../../generated/documents.js";
import type { Wish } from "./wish.js";

const TYPING_PAUSE_MS = 150;

export interface SearchResult {
  /** Undefined: nothing was asked, or there is no answer yet. */
  readonly records: SearchQuery | undefined;
  readonly work: SearchWorkQuery | undefined;
  /** Whether what is there may be of an earlier wish. */
  readonly waiting: boolean;
  readonly error: CombinedError | undefined;
}

export function useFound({ search, work }: Wish): SearchResult {
  const id = work?.id ?? null;
  const [settled] = useDebouncedValue(search, TYPING_PAUSE_MS);
  const [settledId] = useDebouncedValue(id, TYPING_PAUSE_MS);
  const nothing = { records: search === "", work: id === null };
  const [records] = useQuery({
    query: SearchDocument,
    variables: { text: settled },
    pause: nothing.records || settled === "",
  });
  const [numbered] = useQuery({
    query: SearchWorkDocument,
    variables: { id: settledId ?? 0 },
    pause: nothing.work || settledId === null,
  });
  return {
    records: nothing.records ? undefined : records.data,
    work: nothing.work ? undefined : numbered.data,
    waiting:
      (!nothing.records && (settled !== search || records.fetching)) ||
      (!nothing.work && (settledId !== id || numbered.fetching)),
    error: (nothing.records ? undefined : records.error) ?? (nothing.work ? undefined : numbered.error),
  };
}
