import { known, listOf, type Members, objectOf, textOf } from '../members.ts';
import { linksIn, webPages } from '../references.ts';
import { cutText, firstLine } from '../text.ts';
import type { ResultItem, ResultLink } from '../types.ts';
import { person } from './places.ts';
import { keptText, mentionedIn, plainText, textIn } from './text.ts';
import { isoOf, type Micros, microsOf } from './times.ts';

const TITLE_CHARACTERS = 120;
const NAME_CHARACTERS = 100;
const MAX_FILES = 10;
const MAX_LINKS = 40;

/** A message as an event shows it. */
export type Message = {
  /** Its id within the channel, and when it was posted. */
  ts: string;
  posted: Micros;
  at: string;
  /** The `ts` of the message that began its thread: its own, unless it is a reply. */
  root: string;
  /** When it had the content that is shown, as far as the message itself shows. */
  revised: Micros;
  /** What stays in Slack of a deleted message that has replies. */
  isTombstone: boolean;
  hasReplies: boolean;
  /** All that it says, as markup. */
  raw: string;
  plain: string;
  sent: Members;
};

export function messageOf(value: unknown): Message | undefined {
  const sent = objectOf(value);
  const posted = microsOf(sent.ts);
  if (posted === undefined) return undefined;
  const ts = String(sent.ts);
  const edited = microsOf(objectOf(sent.edited).ts);
  const raw = textIn(sent);
  const isReply = microsOf(sent.thread_ts) !== undefined;
  return {
    ts,
    posted,
    at: isoOf(posted),
    root: isReply ? String(sent.thread_ts) : ts,
    // The time of an edit is often cut to whole seconds, and then earlier than that of the message.
    revised: edited === undefined ? posted : Math.max(edited, posted + 1),
    isTombstone: sent.subtype === 'tombstone',
    hasReplies: Number(sent.reply_count) > 0 || listOf(sent.replies).length > 0,
    raw,
    plain: plainText(raw),
    sent,
  };
}

export const isRoot = ({ ts, root }: Pick<Message, 'ts' | 'root'>): boolean => ts === root;

function authorOf({ sent }: Message): string | undefined {
  const author = textOf(sent.user) ?? textOf(sent.bot_id);
  return author === undefined ? undefined : cutText(author, NAME_CHARACTERS);
}

export function itemOf(message: Message): ResultItem {
  const { sent } = message;
  const edited = microsOf(objectOf(sent.edited).ts);
  const files = listOf(sent.files).slice(0, MAX_FILES).map(objectOf).filter(isKept).map(fileOf);
  return known({
    at: message.at,
    user: authorOf(message),
    bot: botName(sent),
    edited: edited === undefined ? undefined : isoOf(edited),
    broadcast: sent.subtype === 'thread_broadcast' || undefined,
    me: sent.subtype === 'me_message' || undefined,
    files: files.length > 0 ? files : undefined,
    text: keptText(message.plain),
  });
}

/** Present where a program wrote the message. */
function botName(sent: Members): string | undefined {
  if (textOf(sent.bot_id) === undefined && sent.subtype !== 'bot_message') return undefined;
  const name = textOf(sent.username) ?? textOf(objectOf(sent.bot_profile).name) ?? textOf(sent.bot_id) ?? 'bot';
  return cutText(name, NAME_CHARACTERS);
}

const isKept = (file: Members): boolean => file.mode !== 'tombstone' && textOf(file.id) !== undefined;

const fileOf = (file: Members) =>
  known({
    id: cutText(textOf(file.id) ?? '', NAME_CHARACTERS),
    name: cutText(textOf(file.title) ?? textOf(file.name) ?? '', NAME_CHARACTERS) || undefined,
    type: cutText(textOf(file.filetype) ?? textOf(file.mimetype) ?? '', NAME_CHARACTERS) || undefined,
  });

/** Addresses without the name of the file, which the message may lose: Slack finds a file by its id. */
export function pagesOf({ sent }: Message): string[] {
  const pages = webPages(
    ...listOf(sent.files)
      .slice(0, MAX_FILES)
      .map((file) => objectOf(file).permalink),
  );
  return webPages(textOf(sent.permalink), ...pages.map((page) => /^.*\/files\/\w+\/\w+/.exec(page)?.[0] ?? page));
}

/** What is known of a thread by the message that began it. */
export function threadOf(message: Message, channel: string | undefined): Members {
  const title = firstLine(message.plain, TITLE_CHARACTERS);
  return known({
    title: title === '' ? 'message without text' : title,
    started_by: authorOf(message),
    started_at: message.at,
    channel,
  });
}

export function linksOf(message: Message): ResultLink[] {
  const author = authorOf(message);
  const links = [
    ...(author === undefined ? [] : [{ relation: isRoot(message) ? 'started_by' : 'replied_by', to: person(author) }]),
    ...mentionedIn(message.raw).map((user) => ({ relation: 'mentions', to: person(user) })),
    ...linksIn([message.plain]),
  ];
  return [...new Map(links.map((link) => [`${link.relation} ${link.to}`, link])).values()].slice(0, MAX_LINKS);
}
