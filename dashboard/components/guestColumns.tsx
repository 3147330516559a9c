// How a guest looks in a table.
import { Badge } from "@mantine/core";
import { useAskedPower, type AskedPower } from "../client/askedPower.js";
import { ago, mebibytes, percent, span } from "../format.js";
import { diskText } from "../guestDisk.js";
import type { GuestRowFragment } from "../generated/documents.js";
import { Hint } from "./Hint.js";
import { TextLink, UserLink } from "./links.js";
import { Meter } from "./Meter.js";
import { useNow } from "./now.js";
import { Status } from "./Status.js";
import type { Column } from "./Table.js";
import { texts as common } from "../texts/common.js";
import { texts } from "../texts/guests.js";
import { guestTypeMark, jobKindText, powerRequestedText } from "../texts/terms.js";

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

interface GuestColumnOptions {
  readonly sortable: boolean;
  readonly hostShown: boolean;
}

/** Accessors of columns that can be sorted by are the names of the service's sort fields. */
export function guestColumns({ sortable, hostShown }: GuestColumnOptions): Column<GuestRowFragment>[] {
  return [
    {
      accessor: "NAME",
      title: texts.columns.guest,
      sortable,
      cellsClassName: "wrap name",
      render: (guest) => <GuestName guest={guest} />,
    },
    {
      accessor: "VMID",
      title: texts.columns.vmid,
      sortable,
      width: 84,
      render: ({ vmid, type }) => `${vmid} ${guestTypeMark(type)}`,
    },
    { accessor: "STATUS", title: texts.columns.status, sortable, render: (guest) => <GuestState guest={guest} /> },
    {
      accessor: "node",
      title: hostShown ? texts.columns.hostAndNode : texts.columns.node,
      render: ({ host, hostId, node }) => (
        <TextLink to="/hosts/$hostId/nodes/$node" params={{ hostId: String(hostId), node }}>
          {hostShown ? common.hostAndNode(host.name, node) : node}
        </TextLink>
      ),
    },
    {
      accessor: "CPU",
      title: common.cpu,
      sortable,
      render: ({ cpuUsage, cores }) => (
        <Hint label={common.ofCores(percent(cpuUsage), cores)}>
          <Meter label={common.cpu} value={cpuUsage} width={48} />
        </Hint>
      ),
    },
    {
      accessor: "MEMORY",
      title: common.ram,
      sortable,
      render: ({ memoryMb, memoryUsedMb }) => (
        <Meter
          label={common.ram}
          value={memoryUsedMb === null ? 0 : memoryUsedMb / memoryMb}
          figure={mebibytes(memoryMb)}
          limit={1}
          width={48}
        />
      ),
    },
    {
      accessor: "diskGb",
      title: texts.columns.disk,
      textAlign: "right",
      cellsClassName: "number",
      render: diskText,
    },
    {
      accessor: "ipAddresses",
      title: texts.columns.address,
      render: ({ ipAddresses }) => <Addresses addresses={ipAddresses} />,
    },
    {
      accessor: "owner",
      title: texts.columns.owner,
      render: ({ owner }) => owner && <UserLink user={owner} />,
    },
    {
      accessor: "uptimeSeconds",
      title: texts.columns.uptime,
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
      {guest.template && <Badge color="gray">{texts.marks.template}</Badge>}
      {guest.safetyCopy && <Badge color="violet">{texts.marks.safetyCopy}</Badge>}
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
          {jobKindText(activeJob.kind)} {activeJob.progress === null ? "" : percent(activeJob.progress)}
        </Badge>
      )}
      {activeJob === null && lock !== null && <Badge color="yellow">{texts.marks.locked(lock)}</Badge>}
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
  return <Badge color="blue">{texts.marks.requested(powerRequestedText(order.action), ago(order.at, now))}</Badge>;
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
