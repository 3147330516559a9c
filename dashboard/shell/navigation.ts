// Where one can go: the menu, the command palette and the keys are all made of this list.
import type { NavigateOptions } from "@tanstack/react-router";
import {
  ArrowRightLeft,
  Boxes,
  Braces,
  CircleUser,
  ClipboardList,
  Gauge,
  KeyRound,
  LayoutTemplate,
  ListChecks,
  Network,
  Package,
  Scale,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  Truck,
  Users,
  type LucideIcon,
} from "lucide-react";
import { texts } from "../texts/shell.js";

export interface Destination {
  readonly to: NonNullable<NavigateOptions["to"]>;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Pressed after `g`. */
  readonly key: string;
}

export const NAVIGATION = [
  {
    title: texts.menuGroups.operations,
    places: [
      { to: "/", label: texts.pages.overview, icon: Gauge, key: "o" },
      { to: "/hosts", label: texts.pages.hosts, icon: Server, key: "h" },
      { to: "/guests", label: texts.pages.guests, icon: Boxes, key: "g" },
      { to: "/jobs", label: texts.pages.jobs, icon: ListChecks, key: "j" },
    ],
  },
  {
    title: texts.menuGroups.migration,
    places: [
      { to: "/migrations", label: texts.pages.migrations, icon: ArrowRightLeft, key: "m" },
      { to: "/evacuations", label: texts.pages.evacuations, icon: Truck, key: "e" },
      { to: "/balance", label: texts.pages.balance, icon: Scale, key: "b" },
      { to: "/safety-copies", label: texts.pages.safetyCopies, icon: ShieldCheck, key: "c" },
      { to: "/placement", label: texts.pages.placement, icon: LayoutTemplate, key: "p" },
    ],
  },
  {
    title: texts.menuGroups.catalog,
    places: [
      { to: "/users", label: texts.pages.users, icon: Users, key: "u" },
      { to: "/plans", label: texts.pages.plans, icon: Package, key: "l" },
      { to: "/templates", label: texts.pages.templates, icon: ClipboardList, key: "t" },
      { to: "/ip-zones", label: texts.pages.ipZones, icon: Network, key: "i" },
    ],
  },
  {
    title: texts.menuGroups.administration,
    places: [
      { to: "/tokens", label: texts.pages.tokens, icon: KeyRound, key: "k" },
      { to: "/requests", label: texts.pages.requests, icon: ScrollText, key: "r" },
      { to: "/graphql", label: texts.pages.graphiql, icon: Braces, key: "q" },
      { to: "/settings", label: texts.pages.settings, icon: Settings, key: "s" },
    ],
  },
] as const satisfies readonly { readonly title: string; readonly places: readonly Destination[] }[];

/** In the menu of the person who is signed in. */
export const ACCOUNT = {
  to: "/account",
  label: texts.pages.account,
  icon: CircleUser,
  key: "a",
} as const satisfies Destination;

export const DESTINATIONS: readonly Destination[] = [
  ...NAVIGATION.flatMap(({ places }): readonly Destination[] => places),
  ACCOUNT,
];
