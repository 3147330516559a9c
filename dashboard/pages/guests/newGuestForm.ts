// The form of a new guest: what it asks for, what it checks, and what the service is told.
import { useForm, type UseFormReturnType } from "@mantine/form";
import type { GuestCreateInput, GuestType } from "../../generated/documents.js";
import { templateInput } from "./guestTemplates.js";
import { texts } from "../../texts/newGuest.js";

export const AUTO = "auto";
export const CUSTOM = "custom";
const LEAST_PASSWORD = 8;

export interface GuestValues {
  type: GuestType;
  name: string;
  template: string | null;
  /** A plan's id, or {@link CUSTOM}. */
  plan: string;
  /** Of the plan too, where there is one. */
  cores: number | string;
  memoryMb: number | string;
  diskGb: number | string;
  /** A host's id, or {@link AUTO}. */
  hostId: string;
  node: string;
  /** `dhcp` or `zone:<id>`. */
  address: string;
  vmid: number | string;
  ownerId: string | null;
  password: string;
  sshKeys: string;
}

export type GuestForm = UseFormReturnType<GuestValues>;

const needed = (value: number | string): string | null => (Number(value) > 0 ? null : texts.wrong.number);

export function useGuestForm(hostId: number | undefined): GuestForm {
  return useForm<GuestValues>({
    initialValues: {
      type: "QEMU",
      name: "",
      template: null,
      plan: CUSTOM,
      cores: 2,
      memoryMb: 2048,
      diskGb: 25,
      hostId: hostId === undefined ? AUTO : String(hostId),
      node: AUTO,
      address: "dhcp",
      vmid: "",
      ownerId: null,
      password: "",
      sshKeys: "",
    },
    validate: {
      name: (value) => (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value) ? null : texts.wrong.name),
      template: (value, { type, hostId: host }) => {
        if (type === "QEMU" && host === AUTO) return texts.wrong.templateHost;
        return value === null ? texts.wrong.template : null;
      },
      cores: (value, { plan }) => (plan === CUSTOM ? needed(value) : null),
      memoryMb: (value, { plan }) => (plan === CUSTOM ? needed(value) : null),
      diskGb: (value, { plan }) => (plan === CUSTOM ? needed(value) : null),
      vmid: (value, { node }) => (node !== AUTO && value === "" ? texts.wrong.vmid : null),
      password: (value) =>
        value !== "" && value.length < LEAST_PASSWORD ? texts.wrong.password(LEAST_PASSWORD) : null,
    },
  });
}

interface Size {
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskGb: number;
}

/** A plan's figures as the form keeps them. */
export const figuresOf = ({ cores, memoryMb, diskGb }: Size): Size => ({ cores, memoryMb, diskGb });

/** What placement has to find room for; null while that is not said. */
export function sizeOf(values: GuestValues): Size | null {
  const [cores, memoryMb, diskGb] = [Number(values.cores), Number(values.memoryMb), Number(values.diskGb)];
  return cores > 0 && memoryMb > 0 && diskGb > 0 ? { cores, memoryMb, diskGb } : null;
}

/** As the service wants it. */
export function inputOf(values: GuestValues): { hostId: number | null; input: GuestCreateInput } {
  const size =
    values.plan === CUSTOM
      ? { cores: Number(values.cores), memoryMb: Number(values.memoryMb), diskGb: Number(values.diskGb) }
      : { planId: Number(values.plan) };
  return {
    hostId: values.hostId === AUTO ? null : Number(values.hostId),
    input: {
      type: values.type,
      name: values.name,
      node: values.node,
      ipSource: values.address,
      ...size,
      ...templateInput(values.template ?? ""),
      ...(values.node === AUTO || values.vmid === "" ? {} : { vmid: Number(values.vmid) }),
      ...(values.ownerId === null ? {} : { ownerId: Number(values.ownerId) }),
      ...(values.password === "" ? {} : { password: values.password }),
      sshKeys: values.sshKeys.split("\n").filter((line) => line.trim() !== ""),
    },
  };
}
