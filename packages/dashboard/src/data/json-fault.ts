/** What should be where a text stops being JSON. */
export type JsonExpected =
  | 'value'
  | 'valueOrEnd'
  | 'name'
  | 'nameOrEnd'
  | 'colon'
  | 'nextMember'
  | 'nextItem'
  | 'nothing';

/** `isText`: a text in quotes begins there, and does not end or holds what it may not. */
export type JsonFault = { line: number; column: number; expected: JsonExpected; isText: boolean };

type TextPlace = { at: number; expected: JsonExpected; open: string[] };

const SPACE = /[\t\n\r ]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON wants them escaped.
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Where a text stops being JSON; undefined where it is. Browsers word it each in their own way, and some name no place. */
export function findJsonFault(text: string): JsonFault | undefined {
  let place: TextPlace = { at: 0, expected: 'value', open: [] };
  for (;;) {
    const at: number = endOf(SPACE, text, place.at) ?? place.at;
    if (at === text.length && place.expected === 'nothing') return undefined;
    const next: TextPlace | undefined = at === text.length ? undefined : after(text, { ...place, at });
    if (next === undefined) return faultAt(text, { ...place, at });
    place = next;
  }
}

function faultAt(text: string, { at, expected }: TextPlace): JsonFault {
  const lines = text.slice(0, at).split('\n');
  const isText = text[at] === '"' && !/^(colon|next|nothing)/.test(expected);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, expected, isText };
}

/** After what is at this place; undefined where it may not be there. */
function after(text: string, place: TextPlace): TextPlace | undefined {
  const { at, expected, open } = place;
  const sign = text[at];
  switch (expected) {
    case 'colon':
      return sign === ':' ? { at: at + 1, expected: 'value', open } : undefined;
    case 'name':
    case 'nameOrEnd': {
      const end = endOf(TEXT, text, at);
      if (end !== undefined) return { at: end, expected: 'colon', open };
      return expected === 'nameOrEnd' && sign === '}' ? closed(place) : undefined;
    }
    case 'nextMember':
      return sign === ',' ? { at: at + 1, expected: 'name', open } : sign === '}' ? closed(place) : undefined;
    case 'nextItem':
      return sign === ',' ? { at: at + 1, expected: 'value', open } : sign === ']' ? closed(place) : undefined;
    case 'nothing':
      return undefined;
    default:
      return expected === 'valueOrEnd' && sign === ']' ? closed(place) : afterValue(text, place);
  }
}

function afterValue(text: string, { at, open }: TextPlace): TextPlace | undefined {
  const sign = text[at] as string;
  if (sign === '{' || sign === '[') {
    open.push(sign);
    return { at: at + 1, expected: sign === '{' ? 'nameOrEnd' : 'valueOrEnd', open };
  }
  const end = endOf(TEXT, text, at) ?? endOf(PLAIN, text, at);
  return end === undefined ? undefined : { at: end, expected: nextIn(open), open };
}

function closed({ at, open }: TextPlace): TextPlace {
  open.pop();
  return { at: at + 1, expected: nextIn(open), open };
}

const nextIn = (open: readonly string[]): JsonExpected =>
  open.length === 0 ? 'nothing' : open.at(-1) === '{' ? 'nextMember' : 'nextItem';
