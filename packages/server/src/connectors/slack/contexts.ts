import { listOf, type Members, objectOf, textOf } from '../members.ts';
import { cutText, firstLine } from '../text.ts';
import type { ContextResult } from '../types.ts';
import type { Happening } from './messages.ts';
import { channelOf, channelPath } from './places.ts';
import { plainText } from './text.ts';

const LABEL_CHARACTERS = 100;
const NAME_CHARACTERS = 100;

/**
 * An event that changes no message, as one line. It never quotes a message: a message can be deleted later, and the line
 * would still have its text.
 */
export function contextOf({ event, channel }: Happening): ContextResult | undefined {
  const type = textOf(event.type);
  if (type === undefined) return undefined;
  const label = type === 'message' ? (textOf(event.subtype) ?? type) : type;
  return context(label, `${summaryOf(label, event)}${channel === undefined ? '' : ` in ${channel}`}`, channel);
}

/** Requests that are no events: commands, buttons and forms. */
export function requestContext(payload: Members): ContextResult | undefined {
  const channel = channelOf(payload);
  const user = named(payload.user_id ?? payload.user);
  const command = textOf(payload.command);
  if (command !== undefined) {
    const text = firstLine(plainText(textOf(payload.text) ?? ''));
    return context('command', `${user} ran ${named(command)} ${text}`.trim(), channel);
  }
  const type = textOf(payload.type);
  if (type === undefined) return undefined;
  return context(type, `${spoken(type)} of ${user}`, channel);
}

function context(label: string, summary: string, channel: string | undefined): ContextResult {
  const name = cutText(label.replace(/\p{Cc}+/gu, ' ').trim(), LABEL_CHARACTERS) || 'event';
  return {
    operation: 'record_context',
    label: name,
    summary: firstLine(summary).trim() || name,
    source: 'slack',
    entity_path: channelPath(channel),
  };
}

type SummaryOf = (event: Members, item: Members) => string;

const SUMMARIES: Readonly<Record<string, SummaryOf>> = {
  reaction_added: (event, item) =>
    `${actor(event)} reacted with :${named(event.reaction)}: to ${itemName(event, item)}`,
  reaction_removed: (event, item) => `${actor(event)} took :${named(event.reaction)}: off ${itemName(event, item)}`,
  pin_added: (event, item) => `${actor(event)} pinned ${itemName(event, item)}`,
  pin_removed: (event, item) => `${actor(event)} unpinned ${itemName(event, item)}`,
  star_added: (event, item) => `${actor(event)} saved ${itemName(event, item)}`,
  star_removed: (event, item) => `${actor(event)} no longer saves ${itemName(event, item)}`,
  member_joined_channel: (event) =>
    `${actor(event)} joined${textOf(event.inviter) === undefined ? '' : `, invited by ${named(event.inviter)}`}`,
  member_left_channel: (event) => `${actor(event)} left`,
  channel_join: (event) => `${actor(event)} joined`,
  channel_leave: (event) => `${actor(event)} left`,
  team_join: (event) => `${actor(event)} joined the workspace`,
  link_shared: (event) =>
    `${actor(event)} shared ${listOf(event.links)
      .slice(0, 3)
      .map((link) => named(objectOf(link).domain))
      .join(', ')}`,
  app_rate_limited: () => 'Slack held events back: more than 30,000 within an hour',
};

function summaryOf(label: string, event: Members): string {
  const summary = Object.hasOwn(SUMMARIES, label) ? SUMMARIES[label] : undefined;
  if (summary) return summary(event, objectOf(event.item));
  const by = actor(event);
  const file = textOf(event.file_id);
  return `${spoken(label)}${file === undefined ? '' : ` ${named(file)}`}${by === UNNAMED ? '' : ` by ${by}`}`;
}

/** `channel_left` as `channel left`. */
const spoken = (name: string): string => named(name).replaceAll('_', ' ');

const UNNAMED = 'somebody';

const actor = (event: Members): string => named(event.user ?? event.user_id ?? event.actor_id);

/** An id or a name. Of a person that is sent whole, the name with the id. */
function named(value: unknown): string {
  const { id, name, real_name } = objectOf(value);
  const called = textOf(real_name) ?? textOf(name);
  const text = textOf(value) ?? (called && textOf(id) ? `${called} (${id})` : (textOf(id) ?? called));
  return text === undefined ? UNNAMED : firstLine(text, NAME_CHARACTERS);
}

function itemName(event: Members, item: Members): string {
  const message = objectOf(item.message);
  const author = event.item_user ?? message.user;
  const of = textOf(author) === undefined ? '' : ` of ${named(author)}`;
  const page = textOf(message.permalink) ?? textOf(objectOf(item.file).permalink);
  const id = textOf(item.ts) ?? textOf(message.ts) ?? textOf(item.file) ?? textOf(objectOf(item.file).id);
  const name = page ?? id;
  return `a ${textOf(item.type) === 'file' ? 'file' : 'message'}${of}${name === undefined ? '' : ` (${cutText(name, 2 * NAME_CHARACTERS)})`}`;
}
