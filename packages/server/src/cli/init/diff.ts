import { clean, cut, paint, type Screen } from '../render/index.ts';

const CONTEXT = 2;
const MAX_LINE = 160;

type TextChange = {
  before: string;
  after: string;
  /** Shows only the names of existing members, since their values may be private. */
  hideValues: boolean;
  /** Never shown, in any line. */
  secrets: readonly string[];
};

/** The change as a patch. Our edits lie in one place, so one hunk is enough. */
export function diffLines({ before, after, hideValues, secrets }: TextChange, screen: Screen): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const top = commonStart(old, now);
  const bottom = commonStart(old.slice(top).reverse(), now.slice(top).reverse());
  const known = new Set(old.map(withoutTrailingComma));
  const values = new Set(hideValues ? valuesIn(before) : []);
  const show = (mark: string, line: string) => {
    const isKnown = known.has(withoutTrailingComma(line));
    const masked = hideValues ? withoutValues(line, (value) => isKnown || values.has(value)) : line;
    return cut(`${mark} ${clean(masks(secrets).reduce((text, mask) => mask(text), masked))}`, MAX_LINE);
  };
  const edge = hideValues ? CONTEXT : 0;
  return [
    ...old.slice(Math.max(0, top - edge), top).map((line) => show(' ', line)),
    ...old.slice(top, old.length - bottom).map((line) => paint(screen, 'red', show('-', line))),
    ...now.slice(top, now.length - bottom).map((line) => paint(screen, 'green', show('+', line))),
    ...now.slice(now.length - bottom, now.length - bottom + edge).map((line) => show(' ', line)),
  ];
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));
/** A line that only gained a comma still belongs to the user. */
const withoutTrailingComma = (line: string) => line.replace(/,\s*$/, '').trimEnd();

function commonStart(a: readonly string[], b: readonly string[]): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return same;
}

/** A string of JSON or TOML with its quotes, and what follows it if it is the name of a member. */
const STRING = /((["'])(?:\\.|(?!\2)[^\\\n])*\2)(\s*[:=])?/g;

/** The strings of a text, with their quotes, that are not names of members. */
const valuesIn = (text: string): string[] =>
  [...text.matchAll(STRING)].filter(([found, value]) => found === value).map(([, value]) => value as string);

/** Hides strings that are not names of members. */
const withoutValues = (line: string, isHidden: (value: string) => boolean): string =>
  line.replace(STRING, (found, value: string, quote: string) =>
    found === value && isHidden(value) ? `${quote}…${quote}` : found,
  );

const masks = (secrets: readonly string[]) =>
  secrets.map(
    (secret) => (text: string) =>
      text.replaceAll(secret, maskOf(secret)).replaceAll(JSON.stringify(secret).slice(1, -1), maskOf(secret)),
  );

/** Shows only the kind of a key, such as `mem_sk_…`. */
export function maskOf(secret: string): string {
  return `${/^(?:[a-z]+_){1,2}(?=[^_]{8,}$)/.exec(secret)?.[0] ?? ''}…`;
}
