// A share of something as a bar with its figure: CPU, RAM, a disk. Plain elements: a page may have hundreds of them.
import { percent } from "../format.js";

interface Properties {
  /** For those who do not see the bar, such as `CPU`. */
  readonly label: string;
  /** Fraction 0..1; null: unknown. */
  readonly value: number | null | undefined;
  /** What stands beside the bar; the percentage when left out. */
  readonly figure?: string;
  /** From here on it is too much, fraction 0..1. */
  readonly limit?: number;
  /** Pixels of the bar; less where there is no room. */
  readonly width?: number;
}

const NEARLY = 0.9;

export function Meter({ label, value, figure, limit = 0.9, width = 64 }: Properties) {
  if (value === null || value === undefined) return <span className="unknown">–</span>;
  return (
    <span className="meter">
      <span className="meter-bar" style={{ width }} aria-hidden>
        <span className={levelOf(value, limit)} style={{ width: `${Math.min(100, value * 100)}%` }} />
      </span>
      <span className="number">
        <span className="unseen">{label} </span>
        {figure ?? percent(value)}
      </span>
    </span>
  );
}

function levelOf(value: number, limit: number): string {
  if (value >= limit) return "meter-much";
  return value >= limit * NEARLY ? "meter-nearly" : "meter-well";
}
