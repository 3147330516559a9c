// Tells whether a box holds more than there is room for beside it: then the keyboard must be able to scroll it.
import { useEffect, useRef, useState, type RefObject } from "react";

export function useWide(): [box: RefObject<HTMLDivElement | null>, wide: boolean] {
  const box = useRef<HTMLDivElement>(null);
  const [wide, setWide] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => setWide(current.scrollWidth > current.clientWidth));
    for (const part of [current, ...current.children]) observer.observe(part);
    return () => observer.disconnect();
  }, []);
  return [box, wide];
}
