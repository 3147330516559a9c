// The addresses around all pages: signing in, and the frame that only the signed-in see.
import { createRootRoute, createRoute, lazyRouteComponent, redirect, Outlet } from "@tanstack/react-router";
import { session } from "../client/session.js";
import { text, type Parts } from "../search.js";
import { Crash } from "./Crash.js";
import { Missing } from "./Missing.js";
import { Shell } from "./Shell.js";

export const root = createRootRoute({ component: Outlet, notFoundComponent: Missing, errorComponent: Crash });

export const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (parts: Parts): { next?: string | undefined } => ({ next: text(parts, "next") }),
  beforeLoad: ({ search }) => {
    if (session() !== null) throw redirect({ to: ownPath(search.next) });
  },
  component: lazyRouteComponent(() => import("../pages/people/SignIn.js"), "SignIn"),
});

/** An address of ours: nobody is sent elsewhere after signing in. */
const ownPath = (next: string | undefined): string => (next !== undefined && /^\/(?!\/)/.test(next) ? next : "/");

export const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: ({ location }) => {
    if (session() !== null) return;
    throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { next: location.href } });
  },
  component: Shell,
});
