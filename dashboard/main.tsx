// Starts the panel: the look, the client of the present session, the pages.
import { MantineProvider } from "@mantine/core";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { lazy, StrictMode, Suspense, useEffect, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { Provider } from "urql";
import "./components.css";
import "./style.css";
import { openClient } from "./client/client.js";
import { useSession } from "./client/session.js";
import { router } from "./router.js";
import { cssVariablesResolver, theme } from "./theme.js";

const Voices = lazy(() => import("./shell/Voices.js"));

/** What the content policy asks of the few styles that components make. */
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
setNonce(nonce);

function Panel() {
  const token = useSession()?.token;
  // A client belongs to one session: nothing that it keeps is shown to the next person.
  const open = useMemo(() => openClient(token !== undefined), [token]);
  useEffect(() => {
    void router.invalidate();
    return () => open.dispose();
  }, [open]);
  return (
    <Provider value={open.client}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <RouterProvider router={router} />
        <Suspense>
          <Voices />
        </Suspense>
      </MantineProvider>
    </Provider>
  );
}

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root");
createRoot(root).render(
  <StrictMode>
    <Panel />
  </StrictMode>,
);
