// Names and values side by side, for what a thing is.
import { Fragment, type ReactNode } from "react";

interface Properties {
  /** In their order; null values are left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
  /** Of twelve parts, how many the names get. */
  readonly nameSpan?: number;
}

export function Facts({ facts, nameSpan = 4 }: Properties) {
  return (
    <dl className="facts" style={{ gridTemplateColumns: `minmax(100px, ${nameSpan}fr) ${12 - nameSpan}fr` }}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
