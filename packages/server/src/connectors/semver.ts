const NUMBER = '(?:0|[1-9]\\d*)';
const PRE = `(?:${NUMBER}|\\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const SEMVER = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);
const MAX_CHARS = 128;

/** Whether a text is a version as semver.org defines it, such as 1.2.0 or 2.0.0-beta.1. */
export const isVersion = (text: string): boolean => text.length <= MAX_CHARS && SEMVER.test(text);

/** Below zero if the first is older, by the order of semver.org: what is after a + does not count. */
export function compareVersions(one: string, other: string): number {
  const [, ...a] = SEMVER.exec(one) ?? [];
  const [, ...b] = SEMVER.exec(other) ?? [];
  for (const i of [0, 1, 2]) {
    const by = compareNumbers(a[i] ?? '0', b[i] ?? '0');
    if (by !== 0) return by;
  }
  return comparePrerelease(a[3], b[3]);
}

/** Numbers of any length. */
const compareNumbers = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

/** A version without a prerelease is newer than any with one. */
function comparePrerelease(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return (one === undefined ? 1 : 0) - (other === undefined ? 1 : 0);
  const a = one.split('.');
  const b = other.split('.');
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const by = comparePart(a[i] as string, b[i] as string);
    if (by !== 0) return by;
  }
  return a.length - b.length;
}

function comparePart(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return compareNumbers(a, b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
