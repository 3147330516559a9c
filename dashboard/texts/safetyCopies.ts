// Texts of the safety copies.
import { count } from "../format.js";

export const texts = {
  title: "Safety copies",
  explanation:
    "A safety copy is the stopped original of a migrated guest. It stays on the source host until its auto-delete date.",
  empty: "No safety copies.",
  deleteSelected: (selected: number): string => (selected === 0 ? "Delete selected" : `Delete ${selected}`),
  question: (copies: number, name: string): string =>
    copies === 1 ? `Delete the safety copy of ${name}?` : `Delete ${copies} safety copies?`,
  copy: (name: string, vmid: number, host: string): string => `${name} (${vmid}) on ${host}`,
  warning: (copies: string): string =>
    `${copies}: the disks are deleted permanently. The migrated guests are not affected.`,
  delete: "Delete",
  deleteLabel: (name: string): string => `Delete the safety copy of ${name}`,
  queued: (copies: number): string => `Deletion of ${count(copies, "safety copy", "safety copies")} started.`,
  failed: "Safety copies could not be deleted",
  columns: {
    guest: "Original of",
    vmid: "VMID",
    hostAndNode: "Host / node",
    status: "Status",
    disk: "Disk",
    autoDelete: "Auto-delete",
    actions: "Actions",
  },
};
