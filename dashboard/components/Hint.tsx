// A word of explanation that comes with the pointer. The tooltip is only made then: a page may have hundreds of them.
import { Tooltip } from "@mantine/core";
import { useRef, useState, type ReactNode } from "react";

interface Properties {
  /** Null: there is nothing to explain. */
  readonly label: string | null;
  readonly children: ReactNode;
}

export function Hint({ label, children }: Properties) {
  const [near, setNear] = useState(false);
  const target = useRef<HTMLSpanElement>(null);
  if (label === null) return children;
  return (
    <span ref={target} onPointerEnter={() => setNear(true)} onPointerLeave={() => setNear(false)}>
      {children}
      {near && <Tooltip target={target} label={label} opened />}
    </span>
  );
}
