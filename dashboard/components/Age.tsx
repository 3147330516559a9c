// Says how old something is, with the whole moment for who wants it.
import { Text, type TextProps } from "@mantine/core";
import { ago, wholeMoment } from "../format.js";
import { Hint } from "./Hint.js";
import { useNow } from "./now.js";
import { texts } from "../texts/common.js";

interface Properties extends TextProps {
  /** Null: never. */
  readonly at: string | number | null | undefined;
  /** Said when there is no moment. */
  readonly never?: string;
}

export function Age({ at, never = texts.never, ...text }: Properties) {
  const now = useNow();
  if (at === null || at === undefined) return <Text {...plain(text)}>{never}</Text>;
  return (
    <Hint label={wholeMoment(at)}>
      <Text {...plain(text)} className="number">
        {ago(at, now)}
      </Text>
    </Hint>
  );
}

const plain = (text: TextProps): TextProps & { component: "span" } => ({
  component: "span",
  fz: "inherit",
  inherit: true,
  ...text,
});
