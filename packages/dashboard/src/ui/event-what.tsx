import type { ReactNode } from 'react';
import { actorOf, type FeedEvent, isFailure } from '../data/events.ts';
import { hrefOf } from '../router/address.ts';
import { eventTexts as texts } from '../texts/events.ts';
import { type EventWords, nameOfThing, placeOfThing, plain, THING_WORDS, text } from './event-things.ts';
import { EntryName, Tag } from './marks.tsx';

/** Where an event leads: its entry, its trace, its outcome, or whatever else it is about. */
export function hrefOfEvent(event: FeedEvent): string {
  const { event_type, entity_path, key, details, agent_id, branch } = event;
  const onBranch = branch === 'main' ? {} : { branch };
  if (entity_path !== null && key !== null) return hrefOf('memory', entity_path, { key, ...onBranch });
  if (event_type.startsWith('pull_request_')) return hrefOf('pulls', text(details.id));
  if (event_type.startsWith('branch_')) return hrefOf('branches', branch);
  if (typeof details.trace_id === 'string') return hrefOf('traces', details.trace_id);
  if (typeof details.outcome_ref === 'string') return hrefOf('traces', '', { outcome_ref: details.outcome_ref });
  return placeOfThing(event) ?? hrefOf('agents', agent_id);
}

/** An event in one line: what it is about, and what happened to it. */
export function EventWhat({ event, href = hrefOfEvent(event) }: { event: FeedEvent; href?: string }) {
  const { entity_path, key, branch } = event;
  const { tone, words, note } = wordsOf(event);
  const subject = entity_path !== null && key !== null ? <EntryName path={entity_path} name={key} /> : subjectOf(event);
  return (
    <>
      {subject !== '' && (
        <a href={href} className="mono">
          {subject}
        </a>
      )}{' '}
      {words !== '' && <span className={tone}>{words}</span>} {note !== '' && <span className="third">{note}</span>}{' '}
      {actorOf(event) !== event.agent_id && <span className="third">{texts.about(event.agent_id)}</span>}{' '}
      {branch !== 'main' && subject !== branch && <Tag>{branch}</Tag>}
    </>
  );
}

/** What an event without an entry is about. */
function subjectOf(event: FeedEvent): ReactNode {
  const { event_type, details, branch, entity_path } = event;
  const { outcome_ref, label, error_type, model, tool_name, message, name } = details;
  const found = [outcome_ref, label, tool_name, model, error_type, message, name].map(text).find((word) => word !== '');
  if (event_type.startsWith('branch_') || event_type.startsWith('pull_request_')) return branch;
  if (event_type.startsWith('room_')) return nameOfThing(event);
  return found ?? entity_path ?? nameOfThing(event);
}

const WORDS: Record<string, (event: FeedEvent) => EventWords> = {
  write: ({ version, details }) => plain('', texts.version(version, details.memory_type)),
  delete: () => plain(texts.deleted),
  expire: () => plain(texts.expired),
  commit: ({ details }) => plain('', texts.entries(Number(details.entries_written ?? 0))),
  erase: ({ details }) => plain('', texts.entries(Number(details.entries ?? 0))),
  trace: () => plain(texts.sealed),
  brief_compiled: ({ details }) =>
    plain(texts.digest(text(details.digest_type)), texts.entries(Number(details.entry_count ?? 0))),
  attempt: ({ details }) => plain(texts.attempt(details.attempt), text(details.outcome_type)),
  error: ({ details }) => ({ tone: 'bad', words: '', note: texts.inOperation(text(details.operation)) }),
  outcome: ({ details }) => {
    const type = text(details.outcome_type);
    return {
      tone: isFailure(type) ? 'bad' : 'good',
      words: type,
      note: texts.moved(Number(details.entries_updated ?? 0)),
    };
  },
  cross_agent_read: ({ version, details }) =>
    details.direction === 'inbound'
      ? plain('', texts.byAgent(text(details.reader_agent_id)))
      : plain('', texts.ofAgent(text(details.source_agent_id), version)),
};

function wordsOf(event: FeedEvent): EventWords {
  const { event_type, details } = event;
  if (Object.hasOwn(WORDS, event_type)) return WORDS[event_type]?.(event) ?? plain('');
  if (Object.hasOwn(THING_WORDS, event_type)) return THING_WORDS[event_type]?.(details) ?? plain('');
  return event_type.startsWith('pull_request_') ? plain('', texts.into(text(details.target))) : plain('');
}
