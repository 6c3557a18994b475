import { known, type Members, numberOf, objectOf, textOf } from '../members.ts';
import { cutText, timeOfSeconds } from '../text.ts';
import type { EntryResult, ResultLink } from '../types.ts';
import type { Happening } from './messages.ts';
import { channelPath, person } from './places.ts';
import { plainText } from './text.ts';
import { stampOf } from './times.ts';

const KEY = 'channel';
const NAME_CHARACTERS = 200;

/** What each event says about its channel, by its type or, for the notes in the channel, by its subtype. */
const STATES: Readonly<Record<string, (event: Members, channel: Members) => Members>> = {
  channel_created: (_, channel) => ({
    state: 'active',
    ...nameOf(channel),
    created_by: short(channel.creator),
    created_at: timeOfSeconds(numberOf(channel.created)),
    topic: short(objectOf(channel.topic).value),
    purpose: short(objectOf(channel.purpose).value),
  }),
  channel_rename: (_, channel) => nameOf(channel),
  channel_name: (event) => nameOf(event),
  channel_archive: () => ({ state: 'archived' }),
  channel_unarchive: () => ({ state: 'active' }),
  channel_deleted: () => ({ state: 'deleted' }),
  channel_topic: (event) => ({ topic: short(event.topic) ?? '' }),
  channel_purpose: (event) => ({ purpose: short(event.purpose) ?? '' }),
  channel_shared: () => ({ is_shared: true }),
  channel_unshared: (event) => ({ is_shared: event.is_ext_shared === true }),
};

/** The state of a channel after an event. None if the event is about something else. */
export function channelResults({ event, channel, time }: Happening): EntryResult[] {
  const type = (event.type === 'message' ? textOf(event.subtype) : textOf(event.type)) ?? '';
  const about = { entity_path: channelPath(channel), key: KEY, merge: true, ...stampOf(time) };
  if (type === 'channel_id_changed') return movedResults(event, about);
  const name = type.replace(/^group_/, 'channel_');
  const state = Object.hasOwn(STATES, name) ? STATES[name] : undefined;
  if (!state || channel === undefined) return [];
  const value = known({ ...state(event, objectOf(event.channel)), id: channel });
  return [{ operation: 'write', ...about, value, links: actorLinks(name, event) }];
}

function movedResults(event: Members, about: Omit<EntryResult, 'operation' | 'value'>): EntryResult[] {
  const from = short(event.old_channel_id);
  const to = short(event.new_channel_id);
  if (from === undefined || to === undefined) return [];
  const links = [{ relation: 'became', to: channelPath(to) }];
  const old = { ...about, entity_path: channelPath(from), value: { state: 'moved', id: from, moved_to: to }, links };
  const now = { ...about, entity_path: channelPath(to), value: { state: 'active', id: to, moved_from: from } };
  return [
    { operation: 'write', ...old },
    { operation: 'write', ...now },
  ];
}

function actorLinks(name: string, event: Members): ResultLink[] {
  const user = textOf(event.user) ?? textOf(event.actor_id) ?? textOf(objectOf(event.channel).creator);
  return user === undefined ? [] : [{ relation: `${name.slice('channel_'.length)}_by`, to: person(user) }];
}

const nameOf = (channel: Members): Members => ({ name: short(channel.name) });

function short(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : cutText(plainText(text), NAME_CHARACTERS);
}
