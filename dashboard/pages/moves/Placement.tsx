// The sandbox: what would land where, and why not elsewhere. Nothing is created or reserved.
import { Grid, NumberInput, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { GuestTypeChoice } from "../../components/GuestTypeChoice.js";
import { HostSelect } from "../../components/HostSelect.js";
import { Page } from "../../components/Page.js";
import { PlacementPreview } from "../../components/PlacementPreview.js";
import { Section } from "../../components/Section.js";

export function Placement() {
  const { cores = 2, memoryMb = 4096, diskGb = 40, type = "QEMU", hostId } = useSearch({ from: "/shell/placement" });
  const navigate = useNavigate({ from: "/placement" });
  const figure = (name: "cores" | "memoryMb" | "diskGb") => (value: number | string) =>
    void navigate({ search: (before) => ({ ...before, [name]: Number(value) || undefined }), replace: true });
  return (
    <Page title="Placement sandbox">
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Section title="A guest like this">
            <Stack gap="xs">
              <GuestTypeChoice
                value={type}
                onChoose={(next) => void navigate({ search: (before) => ({ ...before, type: next }), replace: true })}
              />
              <NumberInput label="CPU cores" min={1} value={cores} onChange={figure("cores")} />
              <NumberInput label="RAM, MiB" min={16} step={1024} value={memoryMb} onChange={figure("memoryMb")} />
              <NumberInput label="Disk, GiB" min={1} step={10} value={diskGb} onChange={figure("diskGb")} />
              <HostSelect
                label="Host"
                placeholder="Any host"
                clearable
                value={hostId === undefined ? null : String(hostId)}
                onChange={(value) =>
                  void navigate({
                    search: (before) => ({ ...before, hostId: value === null ? undefined : Number(value) }),
                    replace: true,
                  })
                }
              />
              <Text fz="xs" c="dimmed">
                Nothing is created or reserved. The weights are those of the settings.
              </Text>
            </Stack>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Section title="Would go">
            <PlacementPreview request={{ cores, memoryMb, diskGb, type, hostId: hostId ?? null }} />
          </Section>
        </Grid.Col>
      </Grid>
    </Page>
  );
}
