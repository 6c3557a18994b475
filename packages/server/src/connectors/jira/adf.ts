import { listOf, objectOf, textOf } from '../members.ts';
import { BODY_CHARACTERS, cutText } from '../text.ts';

/** Blocks that end a line. */
const BLOCKS = new Set(
  'paragraph heading codeBlock blockquote panel rule tableRow listItem taskItem decisionItem mediaSingle expand'.split(
    ' ',
  ),
);
const LIST_ITEMS = new Set(['listItem', 'taskItem', 'decisionItem']);
const MAX_NODES = 4000;

/**
 * A text of Jira: a string (server, and webhooks of the cloud so far) or a document in the Atlassian Document Format. Walks
 * without recursion, since a document may be nested as deeply as its sender likes.
 */
export function documentText(value: unknown, max: number = BODY_CHARACTERS): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : cutText(value, max);
  if (!Array.isArray(objectOf(value).content)) return undefined;
  const text = textOfNodes(value, max)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return text === '' ? undefined : cutText(text, max);
}

function textOfNodes(document: unknown, max: number): string {
  let text = '';
  const left: unknown[] = [document];
  for (let count = 0; left.length > 0 && text.length <= max && count < MAX_NODES; count++) {
    const node = left.pop();
    if (typeof node === 'string') {
      if (node !== '\n' || !text.endsWith('\n')) text += node;
      continue;
    }
    const { type, content } = objectOf(node);
    text += ownText(node, max);
    if (typeof type === 'string' && BLOCKS.has(type)) left.push('\n');
    const children = listOf(content);
    for (let at = Math.min(children.length, MAX_NODES) - 1; at >= 0; at--) left.push(objectOf(children[at]));
    if (typeof type === 'string' && LIST_ITEMS.has(type)) left.push('- ');
  }
  return text;
}

function ownText(node: unknown, max: number): string {
  const { type, text, attrs, marks } = objectOf(node);
  const attributes = objectOf(attrs);
  switch (type) {
    case 'text':
      return `${(textOf(text) ?? ' ').slice(0, 2 * max)}${linkOf(marks, text)}`;
    case 'hardBreak':
      return '\n';
    case 'tableCell':
    case 'tableHeader':
      return ' ';
    case 'rule':
      return '---';
    case 'mention':
    case 'status':
    case 'emoji':
      return short(attributes.text ?? attributes.shortName);
    case 'inlineCard':
    case 'blockCard':
    case 'embedCard':
      return short(attributes.url);
    default:
      return '';
  }
}

const short = (value: unknown): string => (textOf(value) ?? '').slice(0, 2000);

/** The address of a link whose text is something else. */
function linkOf(marks: unknown, text: unknown): string {
  for (const mark of listOf(marks).slice(0, 10)) {
    const { type, attrs } = objectOf(mark);
    const href = type === 'link' ? short(objectOf(attrs).href) : '';
    if (href !== '' && href !== text) return ` (${href})`;
  }
  return '';
}
