// Chooses a user among many.
import { useQuery } from "urql";
import { FindUsersDocument, type FindUsersQuery } from "../generated/documents.js";
import type { Findable } from "./found.js";
import { FoundSelect, type ChoosingProperties } from "./FoundSelect.js";
import { texts } from "../texts/common.js";

type FoundUser = FindUsersQuery["users"]["items"][number];

const USERS: Findable<FoundUser> = {
  nothing: texts.select.noUser,
  choiceOf: ({ id, username, email }) => ({ value: String(id), label: texts.select.user(username, email) }),
  useFound(search, pause) {
    const [{ data, fetching }] = useQuery({ query: FindUsersDocument, variables: { search }, pause });
    return { records: data?.users.items, total: data?.users.meta.total ?? 0, fetching };
  },
};

/** Its values are ids as text. */
export function UserSelect(properties: ChoosingProperties<FoundUser>) {
  return <FoundSelect kind={USERS} nameOf={texts.select.userNumber} clearable {...properties} />;
}
