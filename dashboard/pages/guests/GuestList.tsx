// A plain list of guests on the page of something else: a host, a node, a user.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { guestAddress, guestColumns } from "../../components/guestColumns.js";
import { Table } from "../../components/Table.js";
import { GuestsDocument, type GuestFilter } from "../../generated/documents.js";
import { texts } from "../../texts/guests.js";

const PER_PAGE = 25;

export function GuestList({ filter }: { readonly filter: GuestFilter }) {
  const [page, setPage] = useState(1);
  const navigate = useNavigate();
  const variables = { filter, sort: { field: "NAME", direction: "ASC" } as const, page, perPage: PER_PAGE };
  const live = useLive({ query: GuestsDocument, variables, kinds: ["GUEST", "JOB"] });
  return (
    <Answer live={live} lines={5}>
      {({ guests }) => (
        <Table
          rows={guests.items}
          columns={guestColumns({ sortable: false, hostShown: filter.hostIds === undefined })}
          empty={texts.empty}
          onOpen={(guest) => void navigate(guestAddress(guest))}
          paging={{ page, perPage: PER_PAGE, total: guests.meta.total, onPage: setPage }}
        />
      )}
    </Answer>
  );
}
