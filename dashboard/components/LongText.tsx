// The beginning of a text that may be long, such as a refusal that names every node; the rest when it is asked for.
import { useState } from "react";
import { texts } from "../texts/common.js";

/** Characters that are shown at once. */
const BEGINNING = 160;

export function LongText({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false);
  if (text.length <= BEGINNING) return text;
  return (
    <>
      {whole ? text : `${text.slice(0, BEGINNING).trimEnd()}…`}{" "}
      <button type="button" className="more" aria-expanded={whole} onClick={() => setWhole(!whole)}>
        {whole ? texts.showLess : texts.showAll}
      </button>
    </>
  );
}
