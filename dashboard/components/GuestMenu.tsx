// What can be done with a guest, and what is asked before it is done.
import { Button, Menu, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { EllipsisVertical } from "lucide-react";
import { useEffect, useState } from "react";
import { notePower } from "../client/askedPower.js";
import { useAct } from "../client/act.js";

import {
  DeleteGuestDocument,
  PowerGuestDocument,
  type GuestRowFragment,
  type GuestStatus,
  type PowerAction,
} from "../generated/documents.js";
import { guestParams } from "./guestColumns.js";
import { confirm } from "./tell.js";
import { texts } from "../texts/guests.js";
import { powerText } from "../texts/terms.js";

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
  STOP: texts.power.stopWarning,
  SHUTDOWN: texts.power.shutdownWarning,
  REBOOT: texts.power.rebootWarning,
};

export function useGuestPower(guest: GuestRowFragment) {
  const [power, busy] = useAct(PowerGuestDocument, { failed: texts.power.failed(guest.name) });
  const change = async (action: PowerAction): Promise<void> => {
    const warning = WARNINGS[action];
    const agreed =
      warning === undefined ||
      (await confirm({
        title: texts.power.question(powerText(action), guest.name, guest.vmid),
        verb: powerText(action),
        danger: action === "STOP",
        children: <Text fz="sm">{warning}</Text>,
      }));
    if (!agreed) return;
    const { hostId, node, type, vmid } = guest;
    if ((await power({ hostId, node, type, vmid, action })) !== null) notePower(guest, action);
  };
  return { change, busy, actions: guest.template || guest.safetyCopy ? [] : POWER[guest.status] };
}

/** Resolves with the job's id; null when it was not wanted or refused. */
function useGuestDeletion(guest: GuestRowFragment): () => Promise<number | null> {
  const [remove] = useAct(DeleteGuestDocument, { failed: texts.deletion.failed(guest.name) });
  return async () => {
    const { hostId, type, vmid, name } = guest;
    const agreed = await confirm({
      title: texts.deletion.question(name, vmid),
      verb: texts.deletion.verb(name),
      danger: true,
      children: (
        <Text fz="sm">
          {texts.deletion.warning(guest.host.name, guest.node)} {guest.status === "RUNNING" && texts.deletion.running}
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

const rowMenuLabel = ({ name }: GuestRowFragment) => ({ "aria-label": texts.actionsFor(name) });

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
            {texts.actions}
          </Button>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item key={action} onClick={() => void change(action)}>
            {WARNINGS[action] === undefined ? powerText(action) : texts.asks(powerText(action))}
          </Menu.Item>
        ))}
        {movable && (
          <Menu.Item
            onClick={() => void navigate({ to: "/guests/$hostId/$type/$vmid/move", params: guestParams(guest) })}
          >
            {texts.asks(texts.migrate)}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          className="danger"
          disabled={guest.activeJob !== null || guest.template}
          onClick={() => void removeAndFollow()}
        >
          {texts.asks(texts.delete)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
