// Chooses between a virtual machine and a container.
import { SegmentedControl } from "@mantine/core";
import type { GuestType } from "../generated/documents.js";
import { texts } from "../texts/common.js";

export const GUEST_TYPES: readonly { readonly value: GuestType; readonly label: string }[] = [
  { value: "QEMU", label: texts.select.virtualMachine },
  { value: "LXC", label: texts.select.container },
];

interface Properties {
  readonly value: GuestType;
  readonly onChoose: (type: GuestType) => void;
}

export function GuestTypeChoice({ value, onChoose }: Properties) {
  return <SegmentedControl aria-label={texts.select.type} data={[...GUEST_TYPES]} value={value} onChange={onChoose} />;
}
