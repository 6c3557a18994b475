import { MalformedText } from './place-in-text.ts';

/** JSON as editors write it, with comments and commas at the end, and where everything in it stands. */
export type JsonNode = {
  start: number;
  end: number;
  value: unknown;
  members?: Member[];
  items?: JsonNode[];
};
export type Member = { key: string; start: number; node: JsonNode };

/** The offset after blanks and comments. */
export function skip(text: string, from: number): number {
  let at = from;
  for (;;) {
    if (/[\s\ufeff]/.test(text[at] ?? '')) at++;
    else if (text.startsWith('//', at)) at = endOf(text, '\n', at, text.length);
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end < 0) throw new MalformedText(text, at, 'this comment has no end');
      at = end + 2;
    } else return at;
  }
}

function endOf(text: string, what: string, ...[from, otherwise]: [number, number]): number {
  const found = text.indexOf(what, from);
  return found < 0 ? otherwise : found;
}

export function parseJsonc(text: string): JsonNode {
  const root = readNode(text, skip(text, 0));
  const rest = skip(text, root.end);
  if (rest < text.length) throw new MalformedText(text, rest, 'there is more after the end');
  return root;
}

function readNode(text: string, at: number): JsonNode {
  if (text[at] === '{') return readObject(text, at);
  if (text[at] === '[') return readArray(text, at);
  if (text[at] === '"') return readString(text, at);
  const [word] =
    /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.])/.exec(text.slice(at, at + 400)) ?? [];
  if (word !== undefined) return { start: at, end: at + word.length, value: JSON.parse(word) };
  throw new MalformedText(
    text,
    at,
    at >= text.length ? 'it ends too early' : `a value was expected, not ${seen(text, at)}`,
  );
}

const seen = (text: string, at: number) => (at >= text.length ? 'the end' : JSON.stringify(text[at]));

function readString(text: string, start: number): JsonNode {
  let end = start + 1;
  while (end < text.length && text[end] !== '"' && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
  if (text[end] !== '"') throw new MalformedText(text, start, 'this text has no end');
  const raw = text.slice(start, end + 1);
  try {
    return { start, end: end + 1, value: JSON.parse(raw) };
  } catch {
    throw new MalformedText(text, start, 'this text is not valid JSON');
  }
}

/** Goes through what stands between two brackets; `readOne` gives the offset after each. */
function readList(text: string, { start, close }: { start: number; close: string }, readOne: (at: number) => number) {
  let at = skip(text, start + 1);
  while (text[at] !== close) {
    at = skip(text, readOne(at));
    if (text[at] === ',') at = skip(text, at + 1);
    else if (text[at] !== close)
      throw new MalformedText(text, at, `"," or ${JSON.stringify(close)} was expected, not ${seen(text, at)}`);
  }
  return at + 1;
}

function readObject(text: string, start: number): JsonNode {
  const members: Member[] = [];
  const end = readList(text, { start, close: '}' }, (at) => {
    if (text[at] !== '"') throw new MalformedText(text, at, `a name in quotes was expected, not ${seen(text, at)}`);
    const name = readString(text, at);
    const colon = skip(text, name.end);
    if (text[colon] !== ':') throw new MalformedText(text, colon, `":" was expected, not ${seen(text, colon)}`);
    const node = readNode(text, skip(text, colon + 1));
    members.push({ key: name.value as string, start: at, node });
    return node.end;
  });
  return { start, end, members, value: Object.fromEntries(members.map(({ key, node }) => [key, node.value])) };
}

function readArray(text: string, start: number): JsonNode {
  const items: JsonNode[] = [];
  const end = readList(text, { start, close: ']' }, (at) => {
    const node = readNode(text, at);
    items.push(node);
    return node.end;
  });
  return { start, end, items, value: items.map(({ value }) => value) };
}

export type Path = readonly (string | number)[];

/** What stands at a path; the last of two members with one name, as for every reader. */
export function nodeAt(root: JsonNode, path: Path): JsonNode | undefined {
  return path.reduce<JsonNode | undefined>(
    (node, step) => (typeof step === 'number' ? node?.items?.[step] : memberOf(node, step)?.node),
    root,
  );
}

export const memberOf = (node: JsonNode | undefined, key: string): Member | undefined =>
  node?.members?.findLast((member) => member.key === key);
