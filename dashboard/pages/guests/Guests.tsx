// All guests: searched, filtered, sorted and paged by the service; the address bar keeps the question.
import { Select } from "@mantine/core";
import { useNavigate, useSearch, type RegisteredRouter, type RouteById } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { Filters, isNarrowed } from "../../components/Filters.js";
import { guestAddress, guestColumns } from "../../components/guestColumns.js";
import { GuestRowMenu } from "../../components/GuestMenu.js";
import { GUEST_TYPES } from "../../components/GuestTypeChoice.js";
import { HostFilter } from "../../components/HostSelect.js";
import { ButtonLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { Table, type Column } from "../../components/Table.js";
import { TypedText } from "../../components/TypedText.js";

import { GuestsDocument, type GuestFilter, type GuestRowFragment } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { texts } from "../../texts/guests.js";
import { statusLabel } from "../../texts/terms.js";

const SORTS = ["NAME", "VMID", "STATUS", "CPU", "MEMORY", "CREATED"] as const;
const STATUSES = ["RUNNING", "STOPPED", "PAUSED", "SUSPENDED", "UNKNOWN"] as const;

const COLUMNS: Column<GuestRowFragment>[] = [
  ...guestColumns({ sortable: true, hostShown: true }),
  {
    accessor: "actions",
    title: <span className="unseen">{texts.actions}</span>,
    width: 44,
    render: (guest) => <GuestRowMenu guest={guest} />,
  },
];

export function Guests() {
  const question = useSearch({ from: "/shell/guests" });
  const navigate = useNavigate({ from: "/guests" });
  const { page = 1, perPage = DEFAULT_PER_PAGE, sort, descending = false } = question;
  const variables = {
    filter: filterOf(question),
    sort: sort === undefined ? null : ({ field: sort, direction: descending ? "DESC" : "ASC" } as const),
    page,
    perPage,
  };
  const live = useLive({ query: GuestsDocument, variables, kinds: ["GUEST", "JOB"] });
  return (
    <Page
      title={texts.title}
      readAt={live.readAt}
      actions={
        <ButtonLink to="/guests/new" leftSection={<Plus size={14} aria-hidden />}>
          {texts.newGuest}
        </ButtonLink>
      }
    >
      <GuestFilters />
      <Answer live={live} lines={14}>
        {({ guests }) => (
          <Table
            rows={guests.items}
            columns={COLUMNS}
            empty={isNarrowed(variables.filter) ? texts.noMatch : texts.empty}
            onOpen={(guest) => void navigate(guestAddress(guest))}
            sorting={{
              by: sort ?? null,
              descending,
              onSort: (by, down) =>
                void navigate({
                  search: (before) => ({
                    ...before,
                    sort: SORTS.find((each) => each === by),
                    descending: down || undefined,
                    page: undefined,
                  }),
                  replace: true,
                }),
            }}
            paging={{
              page,
              perPage,
              total: guests.meta.total,
              onPage: (next) => void navigate({ search: (before) => ({ ...before, page: next }) }),
              onPerPage: (next) =>
                void navigate({ search: (before) => ({ ...before, perPage: next, page: undefined }) }),
            }}
          />
        )}
      </Answer>
    </Page>
  );
}

type Question = RouteById<RegisteredRouter["routeTree"], "/shell/guests">["types"]["fullSearchSchema"];

function filterOf({ search, hostId, status, type, tag }: Question): GuestFilter {
  return {
    ...(search === undefined ? {} : { search }),
    ...(hostId === undefined ? {} : { hostIds: [hostId] }),
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(tag === undefined ? {} : { tag }),
  };
}

function GuestFilters() {
  const { search = "", hostId, status, type, tag = "" } = useSearch({ from: "/shell/guests" });
  const navigate = useNavigate({ from: "/guests" });
  const ask = (changed: Partial<Question>): void =>
    void navigate({ search: (before) => ({ ...before, ...changed, page: undefined }), replace: true });
  return (
    <Filters>
      <TypedText
        label={texts.filters.search}
        value={search}
        onSettled={(text) => ask({ search: text || undefined })}
        pageSearch
      />
      <HostFilter hostId={hostId} onChoose={(next) => ask({ hostId: next })} width={150} />
      <Select
        aria-label={texts.filters.status}
        placeholder={texts.filters.anyStatus}
        clearable
        w={130}
        data={STATUSES.map((value) => ({ value, label: statusLabel(value) }))}
        value={status ?? null}
        onChange={(value) => ask({ status: STATUSES.find((known) => known === value) })}
      />
      <Select
        aria-label={texts.filters.type}
        placeholder={texts.filters.anyType}
        clearable
        w={150}
        data={GUEST_TYPES}
        value={type ?? null}
        onChange={(value) => ask({ type: value ?? undefined })}
      />
      <TypedText
        label={texts.filters.tag}
        value={tag}
        onSettled={(text) => ask({ tag: text || undefined })}
        width={120}
      />
    </Filters>
  );
}
