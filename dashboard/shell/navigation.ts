// Where one can go: the menu, the command palette and the keys are all made of this list.
import type { NavigateOptions } from "@tanstack/react-router";
import {
  ArrowRightLeft,
  Boxes,
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

export interface Destination {
  readonly to: NonNullable<NavigateOptions["to"]>;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Pressed after `g`. */
  readonly key: string;
}

export const NAVIGATION = [
  {
    title: "Operate",
    places: [
      { to: "/", label: "Overview", icon: Gauge, key: "o" },
      { to: "/hosts", label: "Hosts", icon: Server, key: "h" },
      { to: "/guests", label: "Guests", icon: Boxes, key: "g" },
      { to: "/jobs", label: "Jobs", icon: ListChecks, key: "j" },
    ],
  },
  {
    title: "Move",
    places: [
      { to: "/migrations", label: "Migrations", icon: ArrowRightLeft, key: "m" },
      { to: "/evacuations", label: "Evacuations", icon: Truck, key: "e" },
      { to: "/balance", label: "Balance", icon: Scale, key: "b" },
      { to: "/safety-copies", label: "Safety copies", icon: ShieldCheck, key: "c" },
      { to: "/placement", label: "Placement", icon: LayoutTemplate, key: "p" },
    ],
  },
  {
    title: "Offer",
    places: [
      { to: "/users", label: "Users", icon: Users, key: "u" },
      { to: "/plans", label: "Plans", icon: Package, key: "l" },
      { to: "/templates", label: "Templates", icon: ClipboardList, key: "t" },
      { to: "/ip-zones", label: "IP zones", icon: Network, key: "i" },
    ],
  },
  {
    title: "Administer",
    places: [
      { to: "/tokens", label: "API tokens", icon: KeyRound, key: "k" },
      { to: "/requests", label: "Request log", icon: ScrollText, key: "r" },
      { to: "/settings", label: "Settings", icon: Settings, key: "s" },
    ],
  },
] as const satisfies readonly { readonly title: string; readonly places: readonly Destination[] }[];

export const DESTINATIONS: readonly Destination[] = NAVIGATION.flatMap(({ places }): readonly Destination[] => places);
