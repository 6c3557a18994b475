import { listOf, type Members, objectOf, textOf } from '../members.ts';
import { cutText } from '../text.ts';

/** How much of one message is looked at. */
const READ_CHARACTERS = 8000;
/** How much of it is kept. The 200 messages that a list keeps are then less than 1 MiB, in any script. */
const MESSAGE_CHARACTERS = 1500;
const MAX_PARTS = 50;
const MAX_MENTIONED = 20;

/** Slack's markup as plain text: `<@U1>` as `@U1`, `<#C1|general>` as `#general`, `<https://…|page>` as `page (https://…)`. */
export function plainText(markup: string): string {
  return markup
    .slice(0, READ_CHARACTERS)
    .replace(/<([^<>]+)>/g, (_, inner: string) => plainReference(inner))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function plainReference(inner: string): string {
  const bar = inner.indexOf('|');
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? '' : inner.slice(bar + 1);
  if (target.startsWith('@')) return target;
  if (target.startsWith('#')) return label === '' ? target : `#${label}`;
  if (target.startsWith('!')) return label === '' ? `@${target.slice(1)}` : label;
  return label === '' || label === target || target.endsWith(`://${label}`) ? target : `${label} (${target})`;
}

/** The ids of the people that a text addresses, each once. */
export function mentionedIn(markup: string): string[] {
  const users = markup.slice(0, READ_CHARACTERS).matchAll(/<@([A-Z0-9]{1,40})[|>]/g);
  return [...new Set([...users].map(([, user = '']) => user))].slice(0, MAX_MENTIONED);
}

/** All that a message says, as markup. The previews that Slack adds to addresses are not part of it. */
export const textIn = (message: Members): string => joined(partsOf(message), '\n');

export const keptText = (plain: string): string => cutText(plain, MESSAGE_CHARACTERS);

function* partsOf({ text, blocks, attachments }: Members): Iterable<string> {
  if (textOf(text) === undefined) yield* partsOfBlocks(blocks);
  else yield* present(text);
  for (const attachment of membersOf(attachments)) if (isOwn(attachment)) yield* partsOfAttachment(attachment);
}

/** A message that is shared into another channel is attached to it, and is what it says. */
const isOwn = (attachment: Members): boolean =>
  attachment.is_share === true ||
  (attachment.from_url === undefined && attachment.original_url === undefined && attachment.is_app_unfurl !== true);

function* partsOfAttachment(attachment: Members): Iterable<string> {
  const { pretext, title, text, fallback } = attachment;
  let isEmpty = true;
  for (const part of [
    ...present(pretext, title, text),
    ...partsOfFields(attachment),
    ...partsOfBlocks(attachment.blocks),
  ]) {
    yield part;
    isEmpty = false;
  }
  if (isEmpty) yield* present(fallback);
}

function* partsOfFields({ fields }: Members): Iterable<string> {
  for (const { title, value } of membersOf(fields)) yield* present(joined(present(title, value), ': '));
}

function* partsOfBlocks(blocks: unknown): Iterable<string> {
  for (const block of membersOf(blocks)) {
    if (block.type === 'rich_text') yield* present(joined(richText(block.elements, 3), ''));
    yield* present(objectOf(block.text).text);
    for (const { text } of membersOf(block.fields)) yield* present(text);
    if (block.type === 'context') for (const { text } of membersOf(block.elements)) yield* present(text);
  }
}

/** Lists and quotes are nested in rich text; the third level has the words. */
function* richText(elements: unknown, levels: number): Iterable<string> {
  for (const element of membersOf(elements)) {
    const { type, text } = element;
    if (levels > 0 && Array.isArray(element.elements)) {
      yield* richText(element.elements, levels - 1);
      yield '\n';
    } else if (type === 'user') yield* present(element.user_id).map((user) => `<@${user}>`);
    else if (type === 'link') yield* present(element.url).map((url) => `<${url}|${textOf(text) ?? ''}>`);
    else if (type === 'emoji') yield* present(element.name).map((name) => `:${name}:`);
    else if (typeof text === 'string') yield text;
  }
}

function* membersOf(list: unknown): Iterable<Members> {
  for (const one of listOf(list).slice(0, MAX_PARTS)) yield objectOf(one);
}

const present = (...values: readonly unknown[]): string[] =>
  values.flatMap((value) => (typeof value === 'string' && value.trim() !== '' ? [value.trim()] : []));

/** No longer than what is read of a message, and without looking at the parts after that. */
function joined(parts: Iterable<string>, separator: string): string {
  let text = '';
  for (const part of parts) {
    text += (text === '' ? '' : separator) + part.slice(0, READ_CHARACTERS);
    if (text.length >= READ_CHARACTERS) break;
  }
  return text.slice(0, READ_CHARACTERS).trim();
}
