import { itemsOf } from '../items.ts';
import { known, type Members, objectOf, textOf } from '../members.ts';
import { keyOf } from '../text.ts';
import type { EntryResult } from '../types.ts';
import { isRoot, itemOf, linksOf, type Message, messageOf, pagesOf, threadOf } from './message.ts';
import { channelOf, channelPath } from './places.ts';
import { type Micros, microsOf, microsOfSeconds, stampOf } from './times.ts';

const DELETED_TITLE = 'deleted message';

/** Notes that Slack itself posts, such as who joined a channel. */
const NOTES = /^(channel_|group_|bot_add|bot_remove|ekm_access_denied|pinned_item|unpinned_item|reminder_add|sh_room_)/;

export const isNote = (message: unknown): boolean => {
  const { subtype } = objectOf(message);
  return typeof subtype === 'string' && NOTES.test(subtype);
};

/** What happened, where, and when. */
export type Happening = { event: Members; channel: string | undefined; time: Micros | undefined };

export function happeningOf(payload: Members): Happening {
  const event = objectOf(payload.event);
  return { event, channel: channelOf(event), time: microsOf(event.event_ts) ?? microsOfSeconds(payload.event_time) };
}

/** What an event says about messages. None if it is about no message, or about a note of Slack's. */
export function messageResults(happening: Happening): EntryResult[] {
  const { event } = happening;
  if (event.type !== 'message' && event.type !== 'app_mention') return [];
  const kind = event.type === 'message' ? textOf(event.subtype) : event.type;
  if (kind === 'message_deleted') return deletedResults(happening);
  if (isNote(event) || isNote(event.message)) return [];
  if (kind === 'message_changed') return changedResults(happening);
  // Slack leaves out this subtype in some deliveries.
  if (kind === 'message_replied' || messageOf(event.message)) return seenResults(event.message, happening);
  if (kind === 'app_mention') return seenResults(event, happening);
  const posted = messageOf(event);
  if (!posted) return [];
  return [contentResult(posted, happening, posted.revised), ...seenResults(event.root, happening)];
}

/**
 * A message that an event about something else shows. It counts as older than the same message by its own event, so that
 * a difference in what the two show makes no new version.
 */
function seenResults(value: unknown, happening: Happening): EntryResult[] {
  const message = messageOf(value);
  if (!message) return [];
  if (message.isTombstone) return [removalResult(message, happening)];
  const isEdited = message.revised > message.posted;
  return [contentResult(message, happening, isEdited ? message.revised : message.posted - 1)];
}

/**
 * Slack sends a change also when it adds a preview to an address or counts replies. Only another content is a state of its
 * own; the rest is as old as the content, so that it never comes after a deletion.
 */
function changedResults(happening: Happening): EntryResult[] {
  const { event, time } = happening;
  const message = messageOf(event.message);
  if (!message) return [];
  if (message.isTombstone) return [removalResult(message, happening)];
  const before = messageOf(event.previous_message);
  if (before && JSON.stringify(itemOf(before)) === JSON.stringify(itemOf(message)))
    return seenResults(event.message, happening);
  return [contentResult(message, happening, Math.max(time ?? 0, message.revised))];
}

function deletedResults(happening: Happening): EntryResult[] {
  const { event } = happening;
  const before = objectOf(event.previous_message);
  if (isNote(before)) return [];
  const message = messageOf({ ...before, ts: event.deleted_ts ?? before.ts });
  if (!message) return [];
  const removal = removalResult(message, happening);
  // The replies of a thread outlive the message that began it.
  return [isRoot(message) && !message.hasReplies ? { ...removal, deleted: true } : removal];
}

function contentResult(message: Message, { channel }: Happening, time: Micros): EntryResult {
  const result: EntryResult = {
    operation: 'write',
    entity_path: channelPath(channel),
    key: keyOf('thread', message.root),
    value: isRoot(message) ? threadOf(message, channel) : known({ channel }),
    merge: true,
    items: { messages: itemsOf(message.ts, itemOf(message)) },
    links: linksOf(message),
    ...stampOf(time),
  };
  const pages = pagesOf(message);
  return pages.length > 0 ? { ...result, artifact_refs: pages } : result;
}

function removalResult(message: Message, { channel, time }: Happening): EntryResult {
  return {
    operation: 'write',
    entity_path: channelPath(channel),
    key: keyOf('thread', message.root),
    value: known({ title: isRoot(message) ? DELETED_TITLE : undefined, channel }),
    merge: true,
    items: { messages: itemsOf(message.ts, null) },
    ...stampOf(time === undefined ? undefined : Math.max(time, message.revised + 1)),
  };
}
