// The sandbox: what would land where, and why not elsewhere. Nothing is created or reserved.
import { Grid, NumberInput, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { GuestTypeChoice } from "../../components/GuestTypeChoice.js";
import { HostSelect } from "../../components/HostSelect.js";
import { Page } from "../../components/Page.js";
import { PlacementPreview } from "../../components/PlacementPreview.js";
import { Section } from "../../components/Section.js";
import { texts } from "../../texts/placement.js";

export function Placement() {
  const { cores = 2, memoryMb = 4096, diskGb = 40, type = "QEMU", hostId } = useSearch({ from: "/shell/placement" });
  const navigate = useNavigate({ from: "/placement" });
  const figure = (name: "cores" | "memoryMb" | "diskGb") => (value: number | string) =>
    void navigate({ search: (before) => ({ ...before, [name]: Number(value) || undefined }), replace: true });
  return (
    <Page title={texts.title}>
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Section title={texts.guest}>
            <Stack gap="xs">
              <GuestTypeChoice
                value={type}
                onChoose={(next) => void navigate({ search: (before) => ({ ...before, type: next }), replace: true })}
              />
              <NumberInput label={texts.cores} min={1} value={cores} onChange={figure("cores")} />
              <NumberInput label={texts.ram} min={16} step={1024} value={memoryMb} onChange={figure("memoryMb")} />
              <NumberInput label={texts.disk} min={1} step={10} value={diskGb} onChange={figure("diskGb")} />
              <HostSelect
                label={texts.host}
                placeholder={texts.anyHost}
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
                {texts.note}
              </Text>
            </Stack>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Section title={texts.preview}>
            <PlacementPreview request={{ cores, memoryMb, diskGb, type, hostId: hostId ?? null }} />
          </Section>
        </Grid.Col>
      </Grid>
    </Page>
  );
}
