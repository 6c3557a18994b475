import { clean, cut, paint, type Screen } from '../render/index.ts';

const CONTEXT = 2;
const MAX_LINE = 160;

type TextChange = {
  before: string;
  after: string;
  /** Values of the file's own are nobody's business: only their names are shown. */
  hideValues: boolean;
  /** Never to be seen, whatever line they are in. */
  secrets: readonly string[];
};

/** What changes, as a patch shows it. Edits of ours are in one place, so that one hunk will do. */
export function diffLines({ before, after, hideValues, secrets }: TextChange, screen: Screen): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const top = commonStart(old, now);
  const bottom = commonStart(old.slice(top).reverse(), now.slice(top).reverse());
  const known = new Set(old.map(withoutTrailingComma));
  const show = (mark: string, line: string) => {
    const masked = hideValues && known.has(withoutTrailingComma(line)) ? withoutValues(line) : line;
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
/** A line that only got a comma is still the user's. */
const withoutTrailingComma = (line: string) => line.replace(/,\s*$/, '').trimEnd();

function commonStart(a: readonly string[], b: readonly string[]): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return same;
}

/** In JSON and TOML: every text that is no name. */
const withoutValues = (line: string): string =>
  line.replace(/(["'])(?:\\.|(?!\1)[^\\])*\1(\s*[:=])?/g, (found, quote: string, isName: string | undefined) =>
    isName === undefined ? `${quote}…${quote}` : found,
  );

const masks = (secrets: readonly string[]) =>
  secrets.map(
    (secret) => (text: string) =>
      text.replaceAll(secret, maskOf(secret)).replaceAll(JSON.stringify(secret).slice(1, -1), maskOf(secret)),
  );

/** The kind of a key may be told, such as `mem_sk_…`; the rest not. */
export function maskOf(secret: string): string {
  return `${/^(?:[a-z]+_){1,2}(?=[^_]{8,}$)/.exec(secret)?.[0] ?? ''}…`;
}
