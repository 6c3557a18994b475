import type { ReactNode } from 'react';
import { type FeedEvent, isFailure } from '../data/events.ts';
import { hrefOf } from '../router/address.ts';
import { eventTexts as texts } from '../texts/events.ts';
import { EntryName, Tag } from './marks.tsx';

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** Where an event leads: its entry, its trace, its outcome. */
export function hrefOfEvent({ event_type, entity_path, key, details, agent_id, branch }: FeedEvent): string {
  const onBranch = branch === 'main' ? {} : { branch };
  if (entity_path !== null && key !== null) return hrefOf('memory', entity_path, { key, ...onBranch });
  if (event_type.startsWith('pull_request_')) return hrefOf('pulls', text(details.id));
  if (event_type.startsWith('branch_')) return hrefOf('branches', branch);
  if (typeof details.trace_id === 'string') return hrefOf('traces', details.trace_id);
  if (typeof details.outcome_ref === 'string') return hrefOf('traces', '', { outcome_ref: details.outcome_ref });
  return hrefOf('agents', agent_id);
}

/** An event in one line: what it is about, and what happened to it. */
export function EventWhat({ event }: { event: FeedEvent }) {
  const { entity_path, key, branch } = event;
  const { tone, words, note } = wordsOf(event);
  const subject = entity_path !== null && key !== null ? <EntryName path={entity_path} name={key} /> : subjectOf(event);
  return (
    <>
      {subject !== '' && (
        <a href={hrefOfEvent(event)} className="mono">
          {subject}
        </a>
      )}{' '}
      {words !== '' && <span className={tone}>{words}</span>} {note !== '' && <span className="third">{note}</span>}{' '}
      {branch !== 'main' && subject !== branch && <Tag>{branch}</Tag>}
    </>
  );
}

/** What an event without an entry is about. */
function subjectOf({ event_type, details, branch, entity_path }: FeedEvent): ReactNode {
  const { outcome_ref, label, error_type, model, tool_name, message, name } = details;
  const found = [outcome_ref, label, tool_name, model, error_type, message, name].map(text).find((word) => word !== '');
  if (event_type.startsWith('branch_') || event_type.startsWith('pull_request_')) return branch;
  return found ?? entity_path ?? '';
}

type Words = { tone: string; words: string; note: string };
const plain = (words: string, note = ''): Words => ({ tone: 'second', words, note });

const WORDS: Record<string, (event: FeedEvent) => Words> = {
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

function wordsOf(event: FeedEvent): Words {
  if (event.event_type.startsWith('pull_request_')) return plain('', texts.into(text(event.details.target)));
  return (Object.hasOwn(WORDS, event.event_type) ? WORDS[event.event_type] : undefined)?.(event) ?? plain('');
}
