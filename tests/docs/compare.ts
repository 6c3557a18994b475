/** Stands for anything in an expected answer: as a whole value, within a text, or at the end of a list for the rest. */
const ANYTHING = '…';

/** What of the expected answer is not in the real one. Members and elements that are not expected do not matter. */
export function differences(expected: unknown, actual: unknown, path = 'answer'): string[] {
  if (expected === ANYTHING) return actual === undefined ? [`${path} is missing`] : [];
  if (Array.isArray(expected)) return listDifferences(expected, actual, path);
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return [`${path} is no object`];
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(value, (actual as Record<string, unknown>)[name], `${path}.${name}`),
    );
  }
  if (typeof expected === 'string' && typeof actual === 'string' && matchesText(expected, actual)) return [];
  return Object.is(expected, actual) ? [] : [`${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
}

function listDifferences(expected: readonly unknown[], actual: unknown, path: string): string[] {
  if (!Array.isArray(actual)) return [`${path} is no list`];
  const open = expected.at(-1) === ANYTHING;
  const shown = open ? expected.slice(0, -1) : expected;
  if (open ? actual.length < shown.length : actual.length !== shown.length)
    return [`${path} has ${actual.length} elements, not ${shown.length}`];
  return shown.flatMap((one, i) => differences(one, actual[i], `${path}[${i}]`));
}

export function matchesText(expected: string, actual: string): boolean {
  const parts = expected.split(ANYTHING).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*?')}$`).test(actual);
}
