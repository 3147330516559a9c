// Texts of the placement simulation.
export const texts = {
  title: "Placement simulation",
  guest: "Guest",
  preview: "Placement preview",
  cores: "CPU cores",
  ram: "RAM (MiB)",
  disk: "Disk (GiB)",
  host: "Host",
  anyHost: "Any host",
  note: "Nothing is created or reserved. The weights are taken from the settings.",
};
