import { listOf, type Members, objectOf, textOf } from '../members.ts';
import { cutText } from '../text.ts';

/** How much of one message is looked at, and how much of it an entry keeps. */
const READ_CHARACTERS = 8000;
const MESSAGE_CHARACTERS = 2000;
const MAX_PARTS = 50;

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

/** The ids of the people that a text addresses. */
export const mentionedIn = (markup: string): string[] =>
  [...markup.slice(0, READ_CHARACTERS).matchAll(/<@([A-Z0-9]{1,40})[|>]/g)].map(([, user = '']) => user);

/** All that a message says, as markup. The previews that Slack adds to addresses are not part of it. */
export function saidIn(message: Members): string {
  const text = textOf(message.text);
  const attached = listOf(message.attachments)
    .slice(0, MAX_PARTS)
    .map(objectOf)
    .filter(isOwn)
    .flatMap(partsOfAttachment);
  const parts = text === undefined ? [...partsOfBlocks(message.blocks), ...attached] : [text, ...attached];
  return joined(parts, '\n');
}

export const keptText = (markup: string): string => cutText(plainText(markup), MESSAGE_CHARACTERS);

/** A message that is shared into another channel is attached to it, and is what it says. */
const isOwn = (attachment: Members): boolean =>
  attachment.is_share === true ||
  (attachment.from_url === undefined && attachment.original_url === undefined && attachment.is_app_unfurl !== true);

function partsOfAttachment(attachment: Members): string[] {
  const fields = listOf(attachment.fields)
    .slice(0, MAX_PARTS)
    .map((field) => joined(present(objectOf(field).title, objectOf(field).value), ': '));
  const said = [
    ...present(attachment.pretext, attachment.title, attachment.text),
    ...fields.filter((field) => field !== ''),
    ...partsOfBlocks(attachment.blocks),
  ];
  return said.length > 0 ? said : present(attachment.fallback);
}

function partsOfBlocks(blocks: unknown): string[] {
  return listOf(blocks).slice(0, MAX_PARTS).map(objectOf).flatMap(partsOfBlock);
}

function partsOfBlock(block: Members): string[] {
  if (block.type === 'rich_text') return present(joined(richText(block.elements, 3), ''));
  const elements = listOf(block.elements)
    .slice(0, MAX_PARTS)
    .map((element) => objectOf(element).text);
  const fields = listOf(block.fields)
    .slice(0, MAX_PARTS)
    .map((field) => objectOf(field).text);
  return present(objectOf(block.text).text, ...fields, ...(block.type === 'context' ? elements : []));
}

/** Lists and quotes are nested in rich text; the third level has the words. */
function richText(elements: unknown, levels: number): string[] {
  const parts: string[] = [];
  for (const element of listOf(elements).slice(0, MAX_PARTS).map(objectOf)) {
    if (levels > 0 && Array.isArray(element.elements)) parts.push(...richText(element.elements, levels - 1), '\n');
    else if (element.type === 'user') parts.push(...present(element.user_id).map((user) => `<@${user}>`));
    else if (element.type === 'link')
      parts.push(...present(element.url).map((url) => `<${url}|${textOf(element.text) ?? ''}>`));
    else if (element.type === 'emoji') parts.push(...present(element.name).map((name) => `:${name}:`));
    else if (typeof element.text === 'string') parts.push(element.text);
  }
  return parts;
}

const present = (...values: readonly unknown[]): string[] =>
  values.flatMap((value) => (typeof value === 'string' && value.trim() !== '' ? [value.trim()] : []));

/** No longer than what is read of it. */
function joined(parts: readonly string[], separator: string): string {
  let text = '';
  for (const part of parts) {
    if (text.length >= READ_CHARACTERS) break;
    text += (text === '' ? '' : separator) + part.slice(0, READ_CHARACTERS);
  }
  return text.slice(0, READ_CHARACTERS).trim();
}
