// How a guest looks in a table.
import { Badge } from "@mantine/core";
import { useAskedPower, type AskedPower } from "../client/askedPower.js";
import { ago, gibibytes, mebibytes, percent, sentence, span, words } from "../format.js";
import type { GuestRowFragment } from "../generated/documents.js";
import { Hint } from "./Hint.js";
import { TextLink, UserLink } from "./links.js";
import { Meter } from "./Meter.js";
import { useNow } from "./now.js";
import { Status } from "./Status.js";
import type { Column } from "./Table.js";

/** What names a guest in an address. */
export interface NamedGuest {
  readonly hostId: number;
  readonly type: "QEMU" | "LXC";
  readonly vmid: number;
}

/** Parts of the addresses of a guest's pages. */
export const guestParams = ({ hostId, type, vmid }: NamedGuest) => ({
  hostId: String(hostId),
  type: type.toLowerCase(),
  vmid: String(vmid),
});

export const guestAddress = (guest: NamedGuest) =>
  ({ to: "/guests/$hostId/$type/$vmid", params: guestParams(guest) }) as const;

interface Wanted {
  readonly sortable: boolean;
  readonly hostShown: boolean;
}

/** Accessors of columns that can be sorted by are the names of the service's sort fields. */
export function guestColumns({ sortable, hostShown }: Wanted): Column<GuestRowFragment>[] {
  return [
    {
      accessor: "NAME",
      title: "Guest",
      sortable,
      cellsClassName: "wrap name",
      render: (guest) => <GuestName guest={guest} />,
    },
    {
      accessor: "VMID",
      title: "VMID",
      sortable,
      width: 84,
      render: ({ vmid, type }) => `${vmid} ${type === "LXC" ? "CT" : "VM"}`,
    },
    { accessor: "STATUS", title: "Status", sortable, render: (guest) => <GuestState guest={guest} /> },
    {
      accessor: "node",
      title: hostShown ? "Host / node" : "Node",
      render: ({ host, hostId, node }) => (
        <TextLink to="/hosts/$hostId/nodes/$node" params={{ hostId: String(hostId), node }}>
          {hostShown ? `${host.name} / ${node}` : node}
        </TextLink>
      ),
    },
    {
      accessor: "CPU",
      title: "CPU",
      sortable,
      render: ({ cpuUsage, cores }) => (
        <Hint label={`${percent(cpuUsage)} of ${cores} cores`}>
          <Meter label="CPU" value={cpuUsage} width={48} />
        </Hint>
      ),
    },
    {
      accessor: "MEMORY",
      title: "RAM",
      sortable,
      render: ({ memoryMb, memoryUsedMb }) => (
        <Meter
          label="RAM"
          value={memoryUsedMb === null ? 0 : memoryUsedMb / memoryMb}
          figure={mebibytes(memoryMb)}
          limit={1}
          width={48}
        />
      ),
    },
    {
      accessor: "diskGb",
      title: "Disk",
      textAlign: "right",
      cellsClassName: "number",
      render: ({ diskGb }) => gibibytes(diskGb),
    },
    { accessor: "ipAddresses", title: "Address", render: ({ ipAddresses }) => <Addresses addresses={ipAddresses} /> },
    {
      accessor: "owner",
      title: "Owner",
      render: ({ owner }) => owner && <UserLink user={owner} />,
    },
    {
      accessor: "uptimeSeconds",
      title: "Up",
      cellsClassName: "number",
      render: ({ uptimeSeconds }) => span(uptimeSeconds),
    },
  ];
}

function GuestName({ guest }: { readonly guest: GuestRowFragment }) {
  return (
    <span className="inline">
      <TextLink {...guestAddress(guest)} fw={500}>
        {guest.name}
      </TextLink>
      {guest.template && <Badge color="gray">template</Badge>}
      {guest.safetyCopy && <Badge color="violet">safety copy</Badge>}
      {guest.tags.length > 0 && (
        <span className="tags" title={guest.tags.join(", ")}>
          {guest.tags.join(" ")}
        </span>
      )}
    </span>
  );
}

/** Work on a guest matters more than what it does. */
export function GuestState({
  guest,
}: {
  readonly guest: Pick<GuestRowFragment, "id" | "status" | "activeJob" | "lock">;
}) {
  const { status, activeJob, lock } = guest;
  return (
    <span className="inline">
      <Status value={status} />
      <AskedMark guest={guest} />
      {activeJob !== null && (
        <Badge color="blue">
          {sentence(activeJob.kind)} {activeJob.progress === null ? "" : percent(activeJob.progress)}
        </Badge>
      )}
      {activeJob === null && lock !== null && <Badge color="yellow">locked: {lock}</Badge>}
    </span>
  );
}

/** Milliseconds after which an order that shows no effect is no longer told of. */
const ORDER_TOLD_MS = 180_000;

function AskedMark({ guest }: { readonly guest: Pick<GuestRowFragment, "id" | "status"> }) {
  const order = useAskedPower(guest);
  return order && <OrderMark order={order} />;
}

/** Truthful about what is not known yet: that it was asked, and how long ago. */
function OrderMark({ order }: { readonly order: AskedPower }) {
  const now = useNow();
  if (now - order.at > ORDER_TOLD_MS) return null;
  return (
    <Badge color="blue">
      asked to {words(order.action === "SHUTDOWN" ? "shut down" : order.action)}, {ago(order.at, now)}
    </Badge>
  );
}

function Addresses({ addresses }: { readonly addresses: readonly string[] }) {
  const [first, ...others] = addresses;
  if (first === undefined) return null;
  return (
    <Hint label={others.length === 0 ? null : addresses.join(", ")}>
      <span className="mono">
        {first}
        {others.length > 0 && ` +${others.length}`}
      </span>
    </Hint>
  );
}
