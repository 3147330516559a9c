// The frame around every page: menu, search, connection, colour scheme, who is signed in.
import {
  ActionIcon,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { CircleUser, LogOut, Moon, Plus, Search, Sun } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState, type ComponentType } from "react";
import { flushSync } from "react-dom";
import { signOut } from "../client/signOut.js";
import { useChanges } from "../client/live.js";
import { keepSession, useLapsed, useSession } from "../client/session.js";
import { useIsSecondFactorDue, useViewer } from "../client/viewer.js";
import { ButtonLink, NavigationLink } from "../components/links.js";
import { tellTrouble } from "../components/tell.js";
import { ConnectionMark, ConnectionNotice } from "./ConnectionNotice.js";
import { useKeys } from "./keys.js";
import { lazyPage } from "./lazyPage.js";
import { ACCOUNT, NAVIGATION } from "./navigation.js";
import { dropTyped, isTypedKept, keepTyped } from "./typedAhead.js";
import { texts } from "../texts/shell.js";
import { roleText } from "../texts/terms.js";

const loadPalette = () => import("./palette/Palette.js");
const Palette = lazy(loadPalette);

/** Where it cannot be loaded, one signs in on the page that is there for it. */
const SignInAgain = lazy<ComponentType<{ readonly username: string }>>(() =>
  import("./SignInAgain.js").catch(() => {
    signOut();
    return { default: () => null };
  }),
);

const SecondFactorDue = lazyPage(() => import("./SecondFactorDue.js"), "SecondFactorDue");

/** The frame goes with the session: what its pages still asked for would be refused. */
export const Shell = () => (useSession() === null ? null : <Entry />);

const Entry = () => (useIsSecondFactorDue() ? <SecondFactorDue /> : <Frame />);

function Frame() {
  useChanges();
  const [searches, setSearches] = useState(0);
  const search = async (): Promise<void> => {
    keepTyped();
    try {
      await loadPalette();
    } catch {
      dropTyped();
      tellTrouble(texts.searchFailed, texts.reloadAdvice);
      return;
    }
    if (isTypedKept()) setSearches((before) => before + 1);
  };
  useKeys(() => void search());
  const [open, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  useFocusOnPage(pathname);
  return (
    <div className="shell">
      <a href="#main" className="skip">
        {texts.skip}
      </a>
      <header className="shell-header">
        <Header open={open} toggle={toggle} search={() => void search()} />
      </header>
      <nav aria-label={texts.navigation} className="shell-menu" data-open={open}>
        <Pages />
      </nav>
      <main id="main" tabIndex={-1} className="ground">
        <ConnectionNotice />
        <div className="page">
          <Outlet />
        </div>
      </main>
      <Lapse />
      {searches > 0 && (
        <Suspense>
          <Palette searches={searches} />
        </Suspense>
      )}
    </div>
  );
}

function Lapse() {
  const session = useSession();
  if (!useLapsed() || session === null) return null;
  return (
    <Suspense>
      <SignInAgain username={session.username} />
    </Suspense>
  );
}

/** Who goes to another page by keyboard goes on in it, not in the menu above it. */
function useFocusOnPage(pathname: string): void {
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [pathname]);
}

interface HeaderProperties {
  /** Whether the menu is open where it does not always stand. */
  readonly open: boolean;
  readonly toggle: () => void;
  readonly search: () => void;
}

function Header({ open, toggle, search }: HeaderProperties) {
  return (
    <Group h="100%" px="sm" justify="space-between" wrap="nowrap">
      <Group gap="xs" wrap="nowrap" w={{ base: "auto", sm: 174 }}>
        <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={texts.menu} />
        <img src="/favicon.svg" width={22} height={22} alt="" />
        <Text fw={650} fz="md">
          {texts.product}
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
        onClick={search}
        className="search-button"
        aria-label={texts.search}
      >
        {texts.search}
      </Button>
      <Group gap="xs" wrap="nowrap">
        <ConnectionMark />
        <ButtonLink to="/guests/new" variant="light" leftSection={<Plus size={14} aria-hidden />} visibleFrom="sm">
          {texts.newGuest}
        </ButtonLink>
        <SchemeSwitch />
        <Person />
      </Group>
    </Group>
  );
}

function Pages() {
  return (
    <>
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
    </>
  );
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon
      onClick={() => setColorScheme(dark ? "light" : "dark")}
      aria-label={dark ? texts.lightMode : texts.darkMode}
    >
      {dark ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </ActionIcon>
  );
}

function leave(): void {
  // The page goes at once: its requests are aborted before the service refuses them.
  flushSync(() => keepSession(null));
  signOut();
}

function Person() {
  const session = useSession();
  const navigate = useNavigate();
  const user = useViewer();
  useNewName(user?.username);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={texts.signedInAs(session?.username ?? "")}>
          <CircleUser size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session?.username} {user && texts.role(roleText(user.role))}
        </Menu.Label>
        <Menu.Item leftSection={<CircleUser size={14} aria-hidden />} onClick={() => void navigate({ to: ACCOUNT.to })}>
          {ACCOUNT.label}
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={14} aria-hidden />} onClick={leave}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Who was given another login name signs in with that one, also over a page whose session has ended. */
function useNewName(username: string | undefined): void {
  const session = useSession();
  useEffect(() => {
    if (session === null || username === undefined || session.username === username) return;
    keepSession({ ...session, username });
  }, [username]);
}
