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
import { some } from "../../format.js";
import { diskText } from "../../guestDisk.js";
import { DeleteSafetyCopiesDocument, GuestsDocument, type GuestRowFragment } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { texts as common } from "../../texts/common.js";
import { texts } from "../../texts/safetyCopies.js";

export function SafetyCopies() {
  const { page = 1, perPage = DEFAULT_PER_PAGE } = useSearch({ from: "/shell/safety-copies" });
  const navigate = useNavigate({ from: "/safety-copies" });
  const [chosen, setChosen] = useState<readonly GuestRowFragment[]>([]);
  const variables = { filter: { safetyCopy: true }, sort: null, page, perPage };
  const live = useLive({ query: GuestsDocument, variables, kinds: ["GUEST", "JOB", "MIGRATION"] });
  const [remove, removing] = useAct(DeleteSafetyCopiesDocument, {
    done: ({ deleteSafetyCopies }) => texts.queued(deleteSafetyCopies.length),
    failed: texts.failed,
  });
  async function removeAll(copies: readonly GuestRowFragment[]): Promise<void> {
    const agreed = await confirm({
      title: texts.question(copies.length, copies[0]?.name ?? ""),
      verb: texts.delete,
      danger: true,
      children: (
        <Text fz="sm">
          {texts.warning(some(copies.map(({ name, vmid, host }) => texts.copy(name, vmid, host.name))))}
        </Text>
      ),
    });
    if (!agreed || (await remove({ guestIds: copies.map(({ id }) => id) })) === null) return;
    setChosen([]);
    live.refresh();
  }
  return (
    <Page
      title={texts.title}
      readAt={live.readAt}
      actions={
        <Button
          color="red.9"
          disabled={chosen.length === 0}
          loading={removing}
          leftSection={<Trash2 size={14} aria-hidden />}
          onClick={() => void removeAll(chosen)}
        >
          {texts.deleteSelected(chosen.length)}
        </Button>
      }
    >
      <Text fz="sm" c="dimmed" mb="sm">
        {texts.explanation}
      </Text>
      <Answer live={live} lines={8}>
        {({ guests }) => (
          <Table
            rows={guests.items}
            columns={columns((copy) => void removeAll([copy]))}
            empty={texts.empty}
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
    title: texts.columns.guest,
    render: (guest) => (
      <TextLink {...guestAddress(guest)} fw={500}>
        {guest.name}
      </TextLink>
    ),
  },
  { accessor: "vmid", title: texts.columns.vmid },
  {
    accessor: "node",
    title: texts.columns.hostAndNode,
    render: ({ host, node }) => common.hostAndNode(host.name, node),
  },
  { accessor: "status", title: texts.columns.status, render: (guest) => <GuestState guest={guest} /> },
  { accessor: "diskGb", title: texts.columns.disk, textAlign: "right", render: diskText },
  {
    accessor: "safetyCopyDeleteAt",
    title: texts.columns.autoDelete,
    render: ({ safetyCopyDeleteAt }) => <Age at={safetyCopyDeleteAt} />,
  },
  {
    accessor: "actions",
    title: <span className="unseen">{texts.columns.actions}</span>,
    width: 90,
    render: (guest) => (
      <Button
        variant="default"
        size="compact-xs"
        disabled={guest.activeJob !== null}
        aria-label={texts.deleteLabel(guest.name)}
        onClick={() => remove(guest)}
      >
        {texts.delete}
      </Button>
    ),
  },
];
