// The command palette: go anywhere, find any guest by name or VMID.
import { Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, spotlight } from "@mantine/spotlight";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { useQuery } from "urql";
import "@mantine/spotlight/styles.css";
import { Status } from "../components/Status.js";
import { FindGuestsDocument } from "../generated/documents.js";
import { DESTINATIONS } from "./navigation.js";

const TYPING_PAUSE_MS = 150;

/** Loaded when it is first asked for; opens whenever `searches` has grown. */
export default function Palette({ searches }: { readonly searches: number }) {
  useEffect(() => spotlight.open(), [searches]);
  const [text, setText] = useState("");
  const navigate = useNavigate();
  const wanted = text.trim().toLowerCase();
  const places = DESTINATIONS.filter(({ label }) => label.toLowerCase().includes(wanted));
  const guests = useFoundGuests(wanted);
  return (
    <Spotlight.Root
      attributes={{ content: { "aria-label": "Search" } }}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      maxHeight={440}
      scrollable
      clearQueryOnClose
    >
      <Spotlight.Search
        placeholder="Go to a page, or find a guest by name or VMID"
        leftSection={<Search size={16} aria-hidden />}
        aria-label="Search"
      />
      <Spotlight.ActionsList>
        {guests.length > 0 && (
          <Spotlight.ActionsGroup label="Guests">
            {guests.map(({ id, hostId, type, vmid, name, node, status, host }) => (
              <Spotlight.Action
                key={id}
                onClick={() =>
                  void navigate({
                    to: "/guests/$hostId/$type/$vmid",
                    params: { hostId: String(hostId), type: type.toLowerCase(), vmid: String(vmid) },
                  })
                }
              >
                <Group justify="space-between" w="100%" wrap="nowrap">
                  <Text fz="sm">
                    {name}{" "}
                    <Text span c="dimmed" fz="xs">
                      {vmid} · {host.name} / {node}
                    </Text>
                  </Text>
                  <Status value={status} />
                </Group>
              </Spotlight.Action>
            ))}
          </Spotlight.ActionsGroup>
        )}
        {places.length > 0 && (
          <Spotlight.ActionsGroup label="Pages">
            {places.map(({ to, label, icon: Icon, key }) => (
              <Spotlight.Action
                key={to}
                label={label}
                leftSection={<Icon size={16} aria-hidden />}
                rightSection={
                  <Text c="dimmed" fz="xs">
                    g {key}
                  </Text>
                }
                onClick={() => void navigate({ to })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {places.length + guests.length === 0 && <Spotlight.Empty>Nothing is called that</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function useFoundGuests(wanted: string) {
  const [search] = useDebouncedValue(wanted, TYPING_PAUSE_MS);
  const [{ data }] = useQuery({ query: FindGuestsDocument, variables: { search }, pause: search === "" });
  return wanted === "" ? [] : (data?.guests.items ?? []);
}
