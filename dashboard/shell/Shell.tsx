// The frame around every page: menu, search, connection, colour scheme, who is signed in.
import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { Outlet, useLocation } from "@tanstack/react-router";
import { CircleUser, LogOut, Moon, Plus, Search, Sun } from "lucide-react";
import { useEffect } from "react";
import { useClient, useQuery } from "urql";
import { useChanges } from "../client/live.js";
import { keepSession, useSession } from "../client/session.js";
import { ButtonLink, NavigationLink } from "../components/links.js";
import { SignOutDocument, ViewerDocument } from "../generated/documents.js";
import { ConnectionMark, ConnectionNotice } from "./ConnectionNotice.js";
import { useKeys } from "./keys.js";
import { NAVIGATION } from "./navigation.js";
import { Palette } from "./Palette.js";

export function Shell() {
  useChanges();
  useKeys();
  const [open, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  return (
    <AppShell header={{ height: 46 }} navbar={{ width: 190, breakpoint: "sm", collapsed: { mobile: !open } }}>
      <a href="#main" className="skip">
        Skip to the page
      </a>
      <AppShell.Header>
        <Header open={open} toggle={toggle} />
      </AppShell.Header>
      <AppShell.Navbar aria-label="Pages">
        <Pages />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className="ground">
        <ConnectionNotice />
        <div className="page">
          <Outlet />
        </div>
      </AppShell.Main>
      <Palette />
    </AppShell>
  );
}

function Header({ open, toggle }: { readonly open: boolean; readonly toggle: () => void }) {
  return (
    <Group h="100%" px="sm" justify="space-between" wrap="nowrap">
      <Group gap="xs" wrap="nowrap" w={174}>
        <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
        <img src="/favicon.svg" width={22} height={22} alt="" />
        <Text fw={650} fz="md">
          Drover
        </Text>
      </Group>
      <Button
        variant="default"
        size="xs"
        flex={1}
        maw={420}
        fw={400}
        justify="space-between"
        leftSection={<Search size={14} aria-hidden />}
        rightSection={<Kbd size="xs">/</Kbd>}
        onClick={spotlight.open}
        className="search-button"
      >
        Search guests and pages
      </Button>
      <Group gap="xs" wrap="nowrap">
        <ConnectionMark />
        <ButtonLink to="/guests/new" variant="light" leftSection={<Plus size={14} aria-hidden />} visibleFrom="sm">
          New guest
        </ButtonLink>
        <SchemeSwitch />
        <Person />
      </Group>
    </Group>
  );
}

function Pages() {
  return (
    <ScrollArea p={6} type="auto">
      {NAVIGATION.map(({ title, places }) => (
        <div key={title} className="menu-group">
          <Text fz={11} fw={600} c="dimmed" px={8} pb={2}>
            {title}
          </Text>
          {places.map(({ to, label, icon: Icon }) => (
            <NavigationLink
              key={to}
              to={to}
              label={label}
              leftSection={<Icon size={16} strokeWidth={1.75} aria-hidden />}
              activeOptions={{ exact: to === "/" }}
              activeProps={{ active: true, "aria-current": "page" }}
              variant="light"
              py={5}
              px={8}
            />
          ))}
        </div>
      ))}
    </ScrollArea>
  );
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon
      onClick={() => setColorScheme(dark ? "light" : "dark")}
      aria-label={dark ? "Use light colours" : "Use dark colours"}
    >
      {dark ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </ActionIcon>
  );
}

function Person() {
  const session = useSession();
  const client = useClient();
  const [{ data }] = useQuery({ query: ViewerDocument });
  const user = data?.viewer.user;
  const signOut = async (): Promise<void> => {
    // The token is forgotten here whether or not the service could be told.
    await client.mutation(SignOutDocument, {}).toPromise();
    keepSession(null);
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`Signed in as ${session?.username ?? ""}`}>
          <CircleUser size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session?.username} {user && `· ${user.role.toLowerCase()}`}
        </Menu.Label>
        <Menu.Item leftSection={<LogOut size={14} aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
