import type { Node } from 'jsonc-parser';
import { type JsonPath, nodeAt, parseJsonc, skipTrivia } from './jsonc.ts';
import { applyEdits, lineEndOf, MalformedText, type TextEdit } from './text-edits.ts';

// The edits are ours and not those of `jsonc-parser`, which formats the lines it touches anew and drops comments beside
// a member that it removes (docs/decisions/033-jsonc-parser.md).

/** Puts a value at a path, and objects on the way where there are none. Everything else stays as it is. */
export function setJson(text: string, path: JsonPath, value: unknown): string {
  if (text.trim() === '') return `${JSON.stringify(nest(path, value), null, 2)}\n`;
  const root = parseJsonc(text);
  const depth = path.findIndex((_, at) => nodeAt(root, path.slice(0, at + 1)) === undefined);
  if (depth < 0) {
    const node = nodeAt(root, path) as Node;
    const level = indentAt(text, node.offset);
    return applyEdits(text, [{ start: node.offset, end: endOf(node), text: stringify(text, value, level) }]);
  }
  const parent = nodeAt(root, path.slice(0, depth)) as Node;
  if (parent.type !== 'object')
    throw new MalformedText(text, parent.offset, `${titleOf(path.slice(0, depth))} should be an object`);
  const key = JSON.stringify(path[depth]);
  const inner = nest(path.slice(depth + 1), value);
  return applyEdits(
    text,
    insertion(text, parent, (level) => `${key}: ${stringify(text, inner, level)}`),
  );
}

/** Adds an item to the end of the list at a path, which is made where there is none. */
export function appendJson(text: string, path: readonly string[], item: unknown): string {
  const list = text.trim() === '' ? undefined : nodeAt(parseJsonc(text), path);
  if (!list) return setJson(text, path, [item]);
  if (list.type !== 'array') throw new MalformedText(text, list.offset, `${titleOf(path)} should be a list`);
  return applyEdits(
    text,
    insertion(text, list, (level) => stringify(text, item, level)),
  );
}

/** Takes out a member or an item, with the comma that it needed. Comments stay. */
export function removeJson(text: string, path: JsonPath): string {
  const root = parseJsonc(text);
  const parent = nodeAt(root, path.slice(0, -1));
  const node = nodeAt(root, path);
  if (!parent || !node) return text;
  const child = node.parent?.type === 'property' ? node.parent : node;
  const next = skipTrivia(text, endOf(child));
  const comma: TextEdit[] = text[next] === ',' ? [{ start: next, end: next + 1, text: '' }] : [];
  const previous = parent.children?.[parent.children.indexOf(child) - 1];
  if (isAlone(text, parent, child))
    return applyEdits(text, [{ start: parent.offset + 1, end: endOf(parent) - 1, text: '' }]);
  if (comma.length === 0 && previous) {
    const start = skipTrivia(text, endOf(previous));
    comma.push({ start, end: start + 1, text: '' });
  }
  const start = startOfRemoval(text, previous ? endOf(previous) : parent.offset + 1, child);
  return applyEdits(text, [{ start, end: endOf(child), text: '' }, ...comma]);
}

const endOf = ({ offset, length }: Node) => offset + length;

const titleOf = (path: JsonPath) => (path.length === 0 ? 'the file' : path.join('.'));

const nest = (path: JsonPath, value: unknown): unknown => path.reduceRight((inner, key) => ({ [key]: inner }), value);

/** Puts `content` behind the last child. It gets the indentation of its line, or none where all is on one line. */
function insertion(text: string, parent: Node, content: (level?: string) => string): TextEdit[] {
  const eol = lineEndOf(text);
  const outer = indentAt(text, parent.offset);
  const level = outer + indentUnitOf(text);
  const last = parent.children?.at(-1);
  if (!last) {
    const [start, end] = [parent.offset + 1, endOf(parent) - 1];
    // A comment in an empty object stays where it is.
    const kept = text.slice(start, end).trimEnd();
    return [{ start, end, text: `${kept}${eol}${level}${content(level)}${eol}${outer}` }];
  }
  const after = skipTrivia(text, endOf(last));
  const hasComma = text[after] === ',';
  const from = hasComma ? after + 1 : endOf(last);
  const comma: TextEdit[] = hasComma ? [] : [{ start: from, end: from, text: ',' }];
  const trailing = hasComma ? ',' : '';
  if (!text.slice(parent.offset, endOf(parent)).includes('\n'))
    return [...comma, { start: from, end: from, text: ` ${content()}${trailing}` }];
  const at = endOfComments(text, from, endOf(parent) - 1);
  return [...comma, { start: at, end: at, text: `${eol}${level}${content(level)}${trailing}` }];
}

/** The offset behind the comments that follow on the same line. */
function endOfComments(text: string, from: number, end: number): number {
  const [comments] = /^(?:[ \t]*\/\*[^\r\n]*?\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/.exec(text.slice(from, end)) ?? [''];
  return from + comments.length;
}

/** Whether nothing else stands between the brackets: no sibling and no comment. */
function isAlone(text: string, parent: Node, child: Node): boolean {
  const rest = text.slice(parent.offset + 1, child.offset) + text.slice(endOf(child), endOf(parent) - 1);
  return /^\s*,?\s*$/.test(rest);
}

/** The blanks before a child go with it, unless they end a line comment that would swallow what follows. */
function startOfRemoval(text: string, gapStart: number, child: Node): number {
  const gap = text.slice(gapStart, child.offset).trimEnd();
  const isAfterLineComment = gap.slice(gap.lastIndexOf('\n') + 1).includes('//');
  const isLastOfLine = /^[ \t]*,?[ \t]*\r?\n/.test(text.slice(endOf(child)));
  return isAfterLineComment && !isLastOfLine ? child.offset : gapStart + gap.length;
}

/** The blanks at the beginning of the line of an offset. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The indentation of one level, as the file has it. */
const indentUnitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';

/** In one line where no level is given. */
function stringify(text: string, value: unknown, level?: string): string {
  if (level === undefined) return JSON.stringify(value);
  const lines = JSON.stringify(value, null, indentUnitOf(text)).split('\n');
  return lines.join(`${lineEndOf(text)}${level}`);
}
