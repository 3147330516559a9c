// Reads what the address bar says after the question mark: whatever does not fit is left out, never an error.

/** The parts of an address as they were parsed. */
export type Parts = Readonly<Record<string, unknown>>;

export const whole = (parts: Parts, name: string): number | undefined => {
  const value = Number(parts[name]);
  return parts[name] !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
};

export const text = (parts: Parts, name: string): string | undefined => {
  const value = parts[name];
  return (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined;
};

export const flag = (parts: Parts, name: string): true | undefined => (parts[name] === true ? true : undefined);

export function oneOf<Value extends string>(parts: Parts, name: string, values: readonly Value[]): Value | undefined {
  return values.find((value) => value === parts[name]);
}

export interface PageParts {
  readonly page?: number | undefined;
  readonly perPage?: number | undefined;
}

export const pageParts = (parts: Parts): PageParts => ({
  page: whole(parts, "page"),
  perPage: whole(parts, "perPage"),
});

export const DEFAULT_PER_PAGE = 50;

/** Makes every part one that an address may leave out. */
export const optional =
  <Shape extends object>(read: (parts: Parts) => Shape) =>
  (parts: Parts): Partial<Shape> =>
    read(parts);
