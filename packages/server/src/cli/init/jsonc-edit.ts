import type { Node } from 'jsonc-parser';
import { type JsonPath, nodeAt, parseJsonc, skipTrivia } from './jsonc.ts';
import { applyEdits, lineEndOf, MalformedText, type TextEdit } from './text-edits.ts';

// We make the edits ourselves, because `jsonc-parser` reformats the lines that it touches and drops comments beside a
// member that it removes (docs/decisions/033-jsonc-parser.md).

/** Sets a value at a path, creating missing objects on the way. Everything else is unchanged. */
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

/** Appends an item to the list at a path, creating the list if needed. */
export function appendJson(text: string, path: readonly string[], item: unknown): string {
  const list = text.trim() === '' ? undefined : nodeAt(parseJsonc(text), path);
  if (!list) return setJson(text, path, [item]);
  if (list.type !== 'array') throw new MalformedText(text, list.offset, `${titleOf(path)} should be a list`);
  return applyEdits(
    text,
    insertion(text, list, (level) => stringify(text, item, level)),
  );
}

/** Removes a member or an item with its comma. Comments are kept. */
export function removeJson(text: string, path: JsonPath): string {
  const root = parseJsonc(text);
  const parent = nodeAt(root, path.slice(0, -1));
  const node = nodeAt(root, path);
  if (!parent || !node) return text;
  const child = node.parent?.type === 'property' ? node.parent : node;
  const next = skipTrivia(text, endOf(child));
  const comma: TextEdit[] = text[next] === ',' ? [{ start: next, end: next + 1, text: '' }] : [];
  const previous = parent.children?.[parent.children.indexOf(child) - 1];
  if (isOnlyContent(text, parent, child))
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

/** Inserts `content` after the last child, indented as its siblings, or on the same line if the parent has only one. */
function insertion(text: string, parent: Node, content: (level?: string) => string): TextEdit[] {
  const eol = lineEndOf(text);
  const outer = indentAt(text, parent.offset);
  const level = outer + indentUnitOf(text);
  const last = parent.children?.at(-1);
  if (!last) {
    const [start, end] = [parent.offset + 1, endOf(parent) - 1];
    // A comment in an empty object is kept in place.
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

/** The offset after the comments that follow on the same line. */
function endOfComments(text: string, from: number, end: number): number {
  const [comments] = /^(?:[ \t]*\/\*[^\r\n]*?\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/.exec(text.slice(from, end)) ?? [''];
  return from + comments.length;
}

/** Whether the brackets contain nothing else: no sibling and no comment. */
function isOnlyContent(text: string, parent: Node, child: Node): boolean {
  const rest = text.slice(parent.offset + 1, child.offset) + text.slice(endOf(child), endOf(parent) - 1);
  return /^\s*,?\s*$/.test(rest);
}

/**
 * The whitespace before a child is removed too, unless it ends a line comment that would swallow the following text.
 */
function startOfRemoval(text: string, gapStart: number, child: Node): number {
  const gap = text.slice(gapStart, child.offset).trimEnd();
  const isAfterLineComment = gap.slice(gap.lastIndexOf('\n') + 1).includes('//');
  const isLastOfLine = /^[ \t]*,?[ \t]*\r?\n/.test(text.slice(endOf(child)));
  return isAfterLineComment && !isLastOfLine ? child.offset : gapStart + gap.length;
}

/** The whitespace at the start of the line that contains an offset. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** One level of indentation in this file. */
const indentUnitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';

/** On one line if no level is given. */
function stringify(text: string, value: unknown, level?: string): string {
  if (level === undefined) return JSON.stringify(value);
  const lines = JSON.stringify(value, null, indentUnitOf(text)).split('\n');
  return lines.join(`${lineEndOf(text)}${level}`);
}
