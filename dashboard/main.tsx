// Starts the panel: the look, the client of the present session, the pages.
import { MantineProvider } from "@mantine/core";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode, useEffect, useMemo, useState, type ComponentType } from "react";
import { createRoot } from "react-dom/client";
import { Provider } from "urql";
import "./components.css";
import "./style.css";
import { openClient } from "./client/client.js";
import { useSession } from "./client/session.js";
import { finishSignOut } from "./client/signOut.js";
import { router } from "./router.js";
import { cssVariablesResolver, theme } from "./theme.js";
import { admitStylesAlone } from "./trustedTypes.js";

/** What the content policy asks of the few styles that components make. */
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
setNonce(nonce);
admitStylesAlone();

function Panel() {
  const session = useSession();
  // A client belongs to one session: nothing that it keeps is shown to the next person.
  const open = useMemo(() => openClient(session), [session?.expiresAt]);
  useEffect(() => {
    void router.invalidate();
    return () => open.dispose();
  }, [open]);
  const Voices = useVoices();
  return (
    <Provider value={open.client}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <RouterProvider router={router} />
        {Voices !== null && <Voices />}
      </MantineProvider>
    </Provider>
  );
}

/** Milliseconds until what could not be loaded is asked for again. */
const LOAD_AGAIN_MS = 5_000;

/** Loaded beside the first page; a service that restarts just then keeps nobody from the pages. */
function useVoices(): ComponentType | null {
  const [voices, setVoices] = useState<ComponentType | null>(null);
  useEffect(() => {
    let timer: number | undefined;
    const load = (): void => {
      import("./shell/Voices.js").then(
        ({ Voices }) => setVoices(() => Voices),
        () => (timer = window.setTimeout(load, LOAD_AGAIN_MS)),
      );
    };
    load();
    return () => window.clearTimeout(timer);
  }, []);
  return voices;
}

finishSignOut();

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root");
createRoot(root).render(
  <StrictMode>
    <Panel />
  </StrictMode>,
);
