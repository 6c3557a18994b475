/** When something was given, and its place among what was given at the same time. */
export type Stamp = readonly [at: number, rank: number];

/** By name, when each was set last. */
export type Stamps = Readonly<Record<string, Stamp>>;

export const compareStamps = (a: Stamp, b: Stamp): number => a[0] - b[0] || a[1] - b[1];

export const isAtMost = (stamp: Stamp, other: Stamp | undefined): boolean =>
  other !== undefined && compareStamps(stamp, other) <= 0;

export const filterStamps = (stamps: Stamps | undefined, isKept: (stamp: Stamp) => boolean): Stamps =>
  Object.fromEntries(Object.entries(stamps ?? {}).filter(([, stamp]) => isKept(stamp)));

export const mapStamps = (
  lists: Readonly<Record<string, Stamps>> | undefined,
  map: (stamps: Stamps) => Stamps,
): Record<string, Stamps> => Object.fromEntries(Object.entries(lists ?? {}).map(([name, one]) => [name, map(one)]));
