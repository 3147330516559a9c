// GraphiQL in a sandboxed frame: whatever runs in it can neither read the session nor reach another address.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Page } from "../../components/Page.js";
import { keptTexts } from "../../graphiql/kept.js";
import type { Opening } from "../../graphiql/messages.js";
import { serveFrame } from "../../graphiql/serve.js";
import { texts } from "../../texts/graphiql.js";

export function Graphiql() {
  const scheme = useComputedColorScheme("light");
  return (
    <Page title={texts.title}>
      <Frame key={scheme} scheme={scheme} />
    </Page>
  );
}

function Frame({ scheme }: Pick<Opening, "scheme">) {
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  const open = (frame: HTMLIFrameElement): void => {
    stop.current();
    const { port1: own, port2: theirs } = new MessageChannel();
    stop.current = serveFrame(own);
    const opening: Opening = { scheme, kept: keptTexts() };
    // The frame has no origin that could be named. Nothing of this is secret, and no other document can be in it (`frame-src`).
    frame.contentWindow?.postMessage(opening, "*", [theirs]);
  };
  return (
    <iframe
      title={texts.frame}
      className="graphiql"
      src="/graphql/graphiql"
      sandbox="allow-scripts"
      allow="clipboard-write"
      onLoad={(event) => open(event.currentTarget)}
    />
  );
}
