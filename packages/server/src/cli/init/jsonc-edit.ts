import { type JsonNode, memberOf, nodeAt, type Path, parseJsonc, skip } from './jsonc.ts';
import { applyEdits, type Edit, lineEndOf, MalformedText } from './place-in-text.ts';

/** Puts a value at a path, and objects on the way where there are none. Everything else stays as it is. */
export function setJson(text: string, path: Path, value: unknown): string {
  if (text.trim() === '') return `${JSON.stringify(nest(path, value), null, 2)}\n`;
  const root = parseJsonc(text);
  const depth = path.findIndex((_, at) => nodeAt(root, path.slice(0, at + 1)) === undefined);
  if (depth < 0) {
    const node = nodeAt(root, path) as JsonNode;
    const level = levelOf(text, node.start);
    return applyEdits(text, [{ start: node.start, end: node.end, text: shown(text, value, level) }]);
  }
  const parent = nodeAt(root, path.slice(0, depth)) as JsonNode;
  if (!parent.members)
    throw new MalformedText(text, parent.start, `${nameOf(path.slice(0, depth))} should be an object`);
  const key = path[depth] as string;
  const inner = nest(path.slice(depth + 1), value);
  const content = (level?: string) => `${JSON.stringify(key)}: ${shown(text, inner, level)}`;
  return applyEdits(text, insertion(text, { parent, last: parent.members.at(-1)?.node, content }));
}

/** Adds an item to the end of the list at a path, which is made where there is none. */
export function appendJson(text: string, path: readonly string[], item: unknown): string {
  const root = text.trim() === '' ? undefined : parseJsonc(text);
  const list = root && nodeAt(root, path);
  if (!list) return setJson(text, path, [item]);
  if (!list.items) throw new MalformedText(text, list.start, `${nameOf(path)} should be a list`);
  const content = (level?: string) => shown(text, item, level);
  return applyEdits(text, insertion(text, { parent: list, last: list.items.at(-1), content }));
}

const nameOf = (path: Path) => (path.length === 0 ? 'the file' : path.join('.'));

const nest = (path: Path, value: unknown): unknown => path.reduceRight((inner, key) => ({ [key]: inner }), value);

type Insertion = { parent: JsonNode; last: JsonNode | undefined; content: (level?: string) => string };

function insertion(text: string, { parent, last, content }: Insertion): Edit[] {
  const eol = lineEndOf(text);
  const outer = levelOf(text, parent.start);
  const level = outer + unitOf(text);
  if (!last) {
    const inside = text.slice(parent.start + 1, parent.end - 1);
    // A comment in an empty object stays where it is.
    const kept = inside.trim() === '' ? '' : inside.trimEnd();
    const put = `${kept}${eol}${level}${content(level)}${eol}${outer}`;
    return [{ start: parent.start + 1, end: parent.end - 1, text: put }];
  }
  const after = skip(text, last.end);
  const trailing = text[after] === ',';
  const from = trailing ? after + 1 : last.end;
  const comma: Edit[] = trailing ? [] : [{ start: last.end, end: last.end, text: ',' }];
  if (!text.slice(parent.start, parent.end).includes('\n')) {
    const put = ` ${content()}${trailing ? ',' : ''}`;
    return [...comma, { start: from, end: from, text: put }];
  }
  const at = restOfLine(text, from, parent.end - 1);
  return [...comma, { start: at, end: at, text: `${eol}${level}${content(level)}${trailing ? ',' : ''}` }];
}

/** After a comment that stands behind the last member on its line. */
function restOfLine(text: string, from: number, end: number): number {
  const [comment] = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)/.exec(text.slice(from, end)) ?? [''];
  return from + comment.length;
}

/** Takes out a member or an item, with the comma that it needed. */
export function removeJson(text: string, path: Path): string {
  const root = parseJsonc(text);
  const parent = nodeAt(root, path.slice(0, -1));
  const step = path.at(-1) as string | number;
  const all = (parent?.members ?? parent?.items ?? []).map((one) => ({
    start: one.start,
    end: 'node' in one ? one.node.end : one.end,
  }));
  const found = typeof step === 'number' ? step : parent?.members?.indexOf(memberOf(parent, step) as never);
  const own = found === undefined ? undefined : all[found];
  if (!parent || !own) return text;
  const before = all[(found as number) - 1];
  if (all.length === 1) return applyEdits(text, [emptied(text, parent, own)]);
  const next = skip(text, own.end);
  const start = blanksBefore(text, own.start);
  if (text[next] === ',') return applyEdits(text, [{ start, end: next + 1, text: '' }]);
  const comma = skip(text, (before as { end: number }).end);
  return applyEdits(text, [
    { start: comma, end: comma + 1, text: '' },
    { start, end: own.end, text: '' },
  ]);
}

function emptied(text: string, parent: JsonNode, own: { start: number; end: number }): Edit {
  const comma = skip(text, own.end);
  const end = text[comma] === ',' ? comma + 1 : own.end;
  const rest = text.slice(parent.start + 1, own.start) + text.slice(end, parent.end - 1);
  if (rest.trim() !== '') return { start: blanksBefore(text, own.start), end, text: '' };
  return { start: parent.start + 1, end: parent.end - 1, text: '' };
}

function blanksBefore(text: string, at: number): number {
  let start = at;
  while (/\s/.test(text[start - 1] ?? '')) start--;
  return start;
}

/** The blanks that the line of an offset begins with. */
function levelOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** By how much one level is further in than the next, as the file has it. */
export function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

/** Without a level, in one line. */
function shown(text: string, value: unknown, level?: string): string {
  if (level === undefined) return JSON.stringify(value);
  const lines = JSON.stringify(value, null, unitOf(text)).split('\n');
  return lines.join(`${lineEndOf(text)}${level}`);
}
