import {
  afterSpace,
  afterString,
  afterValue,
  CLOSE_ARRAY,
  COMMA,
  memberName,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './json-scan.ts';

/** Members or items that are looked at in one step. */
const PARTS_PER_STEP = 1000;

type ComparedParts = { parts: number };
type JsonPlace = { text: string; at: number };

/**
 * Whether two texts of valid JSON hold the same value: the order of members, spaces and escapes do not matter, digits do.
 * Ends at the first difference; with a yield after each step of a few milliseconds.
 */
export function* sameJsonInSteps(a: string, b: string): Generator<void, boolean> {
  if (a === b) return true;
  return yield* same({ text: a, at: afterSpace(a, 0) }, { text: b, at: afterSpace(b, 0) }, { parts: 0 });
}

function* same(a: JsonPlace, b: JsonPlace, progress: ComparedParts): Generator<void, boolean> {
  const code = a.text.charCodeAt(a.at);
  if (code !== b.text.charCodeAt(b.at)) return false;
  if (code === OPEN_OBJECT) return yield* sameObjects(a, b, progress);
  if (code === OPEN_ARRAY) return yield* sameArrays(a, b, progress);
  const [one, other] = [tokenAt(a), tokenAt(b)];
  return one === other || (code === QUOTE && JSON.parse(one) === JSON.parse(other));
}

const tokenAt = ({ text, at }: JsonPlace): string => text.slice(at, afterValue(text, at));

function* sameObjects(a: JsonPlace, b: JsonPlace, progress: ComparedParts): Generator<void, boolean> {
  const before = yield* membersOf(a, progress);
  const after = yield* membersOf(b, progress);
  if (before.size !== after.size) return false;
  for (const [name, at] of before) {
    if (++progress.parts % PARTS_PER_STEP === 0) yield;
    const other = after.get(name);
    if (other === undefined) return false;
    if (!(yield* same({ text: a.text, at }, { text: b.text, at: other }, progress))) return false;
  }
  return true;
}

/** Where the value of each member begins; of members with the same name, that of the last. */
function* membersOf({ text, at: start }: JsonPlace, progress: ComparedParts): Generator<void, Map<string, number>> {
  const members = new Map<string, number>();
  let at = afterSpace(text, start + 1);
  while (text.charCodeAt(at) === QUOTE) {
    if (++progress.parts % PARTS_PER_STEP === 0) yield;
    const nameEnd = afterString(text, at);
    const value = afterSpace(text, afterSpace(text, nameEnd) + 1);
    members.set(memberName(text, at, nameEnd), value);
    at = afterSpace(text, afterValue(text, value));
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  return members;
}

function* sameArrays(a: JsonPlace, b: JsonPlace, progress: ComparedParts): Generator<void, boolean> {
  let one = afterSpace(a.text, a.at + 1);
  let other = afterSpace(b.text, b.at + 1);
  for (;;) {
    if (++progress.parts % PARTS_PER_STEP === 0) yield;
    const isEnd = a.text.charCodeAt(one) === CLOSE_ARRAY;
    if (isEnd || b.text.charCodeAt(other) === CLOSE_ARRAY) return isEnd && b.text.charCodeAt(other) === CLOSE_ARRAY;
    if (!(yield* same({ text: a.text, at: one }, { text: b.text, at: other }, progress))) return false;
    one = nextItem(a.text, one);
    other = nextItem(b.text, other);
  }
}

function nextItem(text: string, from: number): number {
  const at = afterSpace(text, afterValue(text, from));
  return text.charCodeAt(at) === COMMA ? afterSpace(text, at + 1) : at;
}

/** The text of a member of an object, and the object with null in its place, without parsing the member. */
export function cutMember(text: string, wanted: string): { rest: string; member: string } | undefined {
  let at = afterSpace(text, afterSpace(text, 0) + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = afterString(text, at);
    const start = afterSpace(text, afterSpace(text, nameEnd) + 1);
    const end = afterValue(text, start);
    if (memberName(text, at, nameEnd) === wanted)
      return { rest: `${text.slice(0, start)}null${text.slice(end)}`, member: text.slice(start, end) };
    at = nextItem(text, start);
  }
  return undefined;
}
