// What can be done with a guest, and what is asked before it is done.
import { Button, Menu, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { EllipsisVertical } from "lucide-react";
import { useEffect, useState } from "react";
import { notePower } from "../client/askedPower.js";
import { useAct } from "../client/act.js";
import { words } from "../format.js";
import {
  DeleteGuestDocument,
  PowerGuestDocument,
  type GuestRowFragment,
  type GuestStatus,
  type PowerAction,
} from "../generated/documents.js";
import { guestParams } from "./guestColumns.js";
import { confirm } from "./tell.js";

/** What the power can do from each status. */
const POWER: Readonly<Record<GuestStatus, readonly PowerAction[]>> = {
  RUNNING: ["SHUTDOWN", "REBOOT", "SUSPEND", "STOP"],
  STOPPED: ["START"],
  PAUSED: ["RESUME", "STOP"],
  SUSPENDED: ["RESUME", "STOP"],
  UNKNOWN: ["START", "STOP"],
};

/** What the guest's users notice, and must be asked about. */
const WARNINGS: Partial<Readonly<Record<PowerAction, string>>> = {
  STOP: "It is switched off as if the power failed: what it has not written is lost.",
  SHUTDOWN: "Its operating system is asked to shut down; its users are cut off.",
  REBOOT: "Its operating system is asked to start anew; its users are cut off for a while.",
};

export function useGuestPower(guest: GuestRowFragment) {
  const [power, busy] = useAct(PowerGuestDocument, { failed: `${guest.name} could not be changed` });
  const change = async (action: PowerAction): Promise<void> => {
    const warning = WARNINGS[action];
    const agreed =
      warning === undefined ||
      (await confirm({
        title: `${verbOf(action)} ${guest.name} (${guest.vmid})?`,
        verb: verbOf(action),
        danger: action === "STOP",
        children: <Text fz="sm">{warning}</Text>,
      }));
    if (!agreed) return;
    const { hostId, node, type, vmid } = guest;
    if ((await power({ hostId, node, type, vmid, action })) !== null) notePower(guest, action);
  };
  return { change, busy, actions: guest.template || guest.safetyCopy ? [] : POWER[guest.status] };
}

export const verbOf = (action: PowerAction): string =>
  action === "SHUTDOWN" ? "Shut down" : words(action).replace(/^./, (letter) => letter.toUpperCase());

/** Resolves with the job's id; null when it was not wanted or refused. */
export function useGuestDeletion(guest: GuestRowFragment): () => Promise<number | null> {
  const [remove] = useAct(DeleteGuestDocument, { failed: `${guest.name} was not deleted` });
  return async () => {
    const { hostId, type, vmid, name } = guest;
    const agreed = await confirm({
      title: `Delete ${name} (${vmid})?`,
      verb: `Delete ${name}`,
      danger: true,
      children: (
        <Text fz="sm">
          The guest and its disks on {guest.host.name} / {guest.node} are removed for good
          {guest.status === "RUNNING" ? "; it is running now" : ""}.
        </Text>
      ),
    });
    const queued = agreed ? await remove({ hostId, type, vmid }) : null;
    return queued?.deleteGuest.jobId ?? null;
  };
}

/** In a table there is little room, and the menu is only made when it is wanted: a page may have hundreds of them. */
export function GuestRowMenu({ guest }: { readonly guest: GuestRowFragment }) {
  const [wanted, setWanted] = useState(false);
  if (wanted) return <GuestMenu guest={guest} inRow />;
  return (
    <button
      type="button"
      className="row-menu"
      {...rowMenuLabel(guest)}
      aria-haspopup="menu"
      onClick={() => setWanted(true)}
    >
      <EllipsisVertical size={14} aria-hidden />
    </button>
  );
}

const rowMenuLabel = ({ name }: GuestRowFragment) => ({ "aria-label": `Actions for ${name}` });

interface Properties {
  readonly guest: GuestRowFragment;
  /** Whether it stands in a table, and opens as soon as it is there. */
  readonly inRow?: boolean;
}

export function GuestMenu({ guest, inRow = false }: Properties) {
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(inRow), [inRow]);
  const navigate = useNavigate();
  const { change, busy, actions } = useGuestPower(guest);
  const remove = useGuestDeletion(guest);
  const removeAndFollow = async (): Promise<void> => {
    const jobId = await remove();
    if (jobId !== null) await navigate({ to: "/jobs/$id", params: { id: String(jobId) } });
  };
  const movable = !guest.template && !guest.safetyCopy && guest.activeJob === null;
  return (
    <Menu opened={opened} onChange={setOpened}>
      <Menu.Target>
        {inRow ? (
          // It takes the place, and the focus, of the button that it was asked for with.
          <button type="button" className="row-menu" {...rowMenuLabel(guest)} disabled={busy} autoFocus>
            <EllipsisVertical size={14} aria-hidden />
          </button>
        ) : (
          <Button variant="default" loading={busy}>
            Actions
          </Button>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item key={action} onClick={() => void change(action)}>
            {verbOf(action)}
            {WARNINGS[action] === undefined ? "" : "…"}
          </Menu.Item>
        ))}
        {movable && (
          <Menu.Item
            onClick={() => void navigate({ to: "/guests/$hostId/$type/$vmid/move", params: guestParams(guest) })}
          >
            Move to another host…
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          className="danger"
          disabled={guest.activeJob !== null || guest.template}
          onClick={() => void removeAndFollow()}
        >
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
