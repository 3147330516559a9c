// The keys that work everywhere: `/` and Ctrl-K for search, `g` and a letter to go somewhere.
import { useNavigate } from "@tanstack/react-router";
import { useLayoutEffect, useRef } from "react";
import { DESTINATIONS } from "./navigation.js";

/** Milliseconds within which the letter must follow the `g`. */
const SEQUENCE_MS = 1_500;

/** `openPalette`: shows the command palette. */
export function useKeys(openPalette: () => void): void {
  const navigate = useNavigate();
  const open = useRef(openPalette);
  open.current = openPalette;
  // Listens before the page is seen: who sees it may press a key.
  useLayoutEffect(() => {
    let goSince = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open.current();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const { timeStamp } = event;
      const place = DESTINATIONS.find(({ key }) => key === event.key);
      if (timeStamp - goSince < SEQUENCE_MS && place !== undefined) {
        goSince = Number.NEGATIVE_INFINITY;
        event.preventDefault();
        void navigate({ to: place.to });
      } else if (event.key === "g") goSince = timeStamp;
      else if (event.key === "/") {
        event.preventDefault();
        search(open.current);
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [navigate]);
}

/** The page's own search field if it has one, else the palette. */
function search(openPalette: () => void): void {
  const field = document.querySelector<HTMLInputElement>("input[data-page-search]");
  if (field === null) openPalette();
  else {
    field.focus();
    field.select();
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest("input, textarea, select, [role=dialog]") !== null);
