// The stopped originals that moves left behind: kept for a while, deleted one by one or many at once.
import { Button, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { GuestState, guestAddress } from "../../components/guestColumns.js";
import { TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { Table, type Column } from "../../components/Table.js";
import { confirm } from "../../components/tell.js";
import { count, gibibytes, some } from "../../format.js";
import { DeleteSafetyCopiesDocument, GuestsDocument, type GuestRowFragment } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";

export function SafetyCopies() {
  const { page = 1, perPage = DEFAULT_PER_PAGE } = useSearch({ from: "/shell/safety-copies" });
  const navigate = useNavigate({ from: "/safety-copies" });
  const [chosen, setChosen] = useState<readonly GuestRowFragment[]>([]);
  const variables = { filter: { safetyCopy: true }, sort: null, page, perPage };
  const live = useLive({ query: GuestsDocument, variables, kinds: ["GUEST", "JOB", "MIGRATION"] });
  const [remove, removing] = useAct(DeleteSafetyCopiesDocument, {
    done: ({ deleteSafetyCopies }) =>
      `${count(deleteSafetyCopies.length, "safety copy", "safety copies")} will be deleted.`,
    failed: "No safety copy was deleted",
  });
  async function removeAll(copies: readonly GuestRowFragment[]): Promise<void> {
    const agreed = await confirm({
      title:
        copies.length === 1
          ? `Delete the safety copy of ${copies[0]?.name}?`
          : `Delete ${copies.length} safety copies?`,
      verb: "Delete",
      danger: true,
      children: (
        <Text fz="sm">
          {some(copies.map(({ name, vmid, host }) => `${name} (${vmid}) on ${host.name}`))}: their disks are removed for
          good. The moved guests are not touched.
        </Text>
      ),
    });
    if (!agreed || (await remove({ guestIds: copies.map(({ id }) => id) })) === null) return;
    setChosen([]);
    live.refresh();
  }
  return (
    <Page
      title="Safety copies"
      readAt={live.readAt}
      actions={
        <Button
          color="red.9"
          disabled={chosen.length === 0}
          loading={removing}
          leftSection={<Trash2 size={14} aria-hidden />}
          onClick={() => void removeAll(chosen)}
        >
          Delete {chosen.length === 0 ? "chosen" : chosen.length}
        </Button>
      }
    >
      <Answer live={live} lines={8}>
        {({ guests }) => (
          <Table
            rows={guests.items}
            columns={columns((copy) => void removeAll([copy]))}
            empty="There are no safety copies. A move leaves one behind."
            choosing={{
              chosen: guests.items.filter(({ id }) => chosen.some((each) => each.id === id)),
              onChoose: setChosen,
              choosable: ({ activeJob }) => activeJob === null,
              nameOf: ({ name }) => name,
            }}
            paging={{
              page,
              perPage,
              total: guests.meta.total,
              onPage: (next) => void navigate({ search: (before) => ({ ...before, page: next }) }),
              onPerPage: (next) => void navigate({ search: { perPage: next } }),
            }}
          />
        )}
      </Answer>
    </Page>
  );
}

const columns = (remove: (copy: GuestRowFragment) => void): Column<GuestRowFragment>[] => [
  {
    accessor: "name",
    title: "Copy of",
    render: (guest) => (
      <TextLink {...guestAddress(guest)} fw={500}>
        {guest.name}
      </TextLink>
    ),
  },
  { accessor: "vmid", title: "VMID" },
  { accessor: "node", title: "Host / node", render: ({ host, node }) => `${host.name} / ${node}` },
  { accessor: "status", title: "Status", render: (guest) => <GuestState guest={guest} /> },
  { accessor: "diskGb", title: "Disk", textAlign: "right", render: ({ diskGb }) => gibibytes(diskGb) },
  {
    accessor: "safetyCopyDeleteAt",
    title: "Deleted by itself",
    render: ({ safetyCopyDeleteAt }) => <Age at={safetyCopyDeleteAt} />,
  },
  {
    accessor: "actions",
    title: <span className="unseen">Actions</span>,
    width: 90,
    render: (guest) => (
      <Button
        variant="default"
        size="compact-xs"
        disabled={guest.activeJob !== null}
        aria-label={`Delete the safety copy of ${guest.name}`}
        onClick={() => remove(guest)}
      >
        Delete
      </Button>
    ),
  },
];
