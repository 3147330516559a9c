// Chooses a user among many: the service searches while one types.
import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useQuery } from "urql";
import { FindUsersDocument } from "../generated/documents.js";

const TYPING_PAUSE_MS = 200;

export function UserSelect(properties: Omit<SelectProps, "data" | "searchValue" | "onSearchChange">) {
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text.replace(/ · .*$/, ""), TYPING_PAUSE_MS);
  const [{ data }] = useQuery({ query: FindUsersDocument, variables: { search } });
  const users = data?.users.items ?? [];
  return (
    <Select
      searchable
      clearable
      nothingFoundMessage="No user is called that"
      data={users.map(({ id, username, email }) => ({ value: String(id), label: `${username} · ${email}` }))}
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      {...properties}
    />
  );
}
