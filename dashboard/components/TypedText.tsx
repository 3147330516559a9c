// A field whose text is asked for when the typing pauses.
import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";

const TYPING_PAUSE_MS = 200;

interface Properties {
  readonly label: string;
  readonly value: string;
  readonly onSettled: (text: string) => void;
  readonly width?: number;
  /** Whether `/` leads here. */
  readonly pageSearch?: boolean;
}

export function TypedText({ label, value, onSettled, width = 240, pageSearch = false }: Properties) {
  const [text, setText] = useState(value);
  const settled = useRef(value);
  const settle = useDebouncedCallback((next: string) => {
    settled.current = next;
    onSettled(next);
  }, TYPING_PAUSE_MS);
  useEffect(() => {
    // What comes back of what was typed here must not undo what was typed since.
    if (value !== settled.current) setText(value);
    settled.current = value;
  }, [value]);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      w={width}
      value={text}
      leftSection={pageSearch ? <Search size={14} aria-hidden /> : undefined}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        settle(currentTarget.value.trim());
      }}
      {...(pageSearch ? { "data-page-search": true } : {})}
    />
  );
}
