import type { Output } from '@mem-service/contract';
import { looksLikeSecret } from '../../secrets.ts';
import { brief } from '../render/index.ts';

type HookBriefing = Output<'briefing.read'>;
type BriefedLine = Pick<
  HookBriefing['validated'][number],
  'entity_path' | 'key' | 'memory_type' | 'confidence' | 'evidence_status'
> & { value?: unknown };

/** A context is sent to the provider of the model at every start, and kept in transcripts. */
const WITHHELD = '[looks like a secret: not shown]';
const MAX_VALUE_LENGTH = 160;
const MAX_NAME_LENGTH = 80;

export const safely = (text: string, length = MAX_NAME_LENGTH): string =>
  looksLikeSecret(text) ? WITHHELD : brief(text, length);

export const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines];

export function entryLine({ entity_path, key, memory_type, confidence, evidence_status, value }: BriefedLine): string {
  const standing = `${memory_type}, ${confidence.toFixed(2)} ${evidence_status}`;
  const shown = looksLikeSecret(value, key) ? WITHHELD : brief(value, MAX_VALUE_LENGTH);
  return `- ${nameOf({ entity_path, key })} (${standing}): ${shown}`;
}

const nameOf = ({ entity_path, key }: { entity_path: string; key: string }): string =>
  `${brief(entity_path, MAX_NAME_LENGTH)} ${brief(key, 60)}`;

/** The sections of a briefing for the start of a session. Of what outcomes refuted, only the names are said. */
export function briefingLines(known: HookBriefing): string[] {
  const { validated, discredited, procedures, tried_here, who_to_ask, consolidation_notice } = known;
  return [
    ...section('Held up in outcomes:', validated.map(entryLine)),
    ...section(
      'Refuted by outcomes, do not rely on:',
      discredited.map((entry) => {
        const instead = entry.replaced_by.map(nameOf).join(', ');
        return `- ${nameOf(entry)}${instead === '' ? '' : `; instead ${instead}`}`;
      }),
    ),
    ...section('How to:', procedures.map(entryLine)),
    ...section(
      'Tried here:',
      tried_here.map(
        ({ action, won, n, last_3, outcome_ref }) =>
          `- ${safely(action, MAX_VALUE_LENGTH)}: ${won} of ${n} succeeded, last ${last_3[0]} (${safely(outcome_ref)})`,
      ),
    ),
    ...section(
      'Who to ask (mem_read_from):',
      who_to_ask.map(({ agent_id, reason }) => `- ${brief(agent_id, MAX_NAME_LENGTH)}: ${reason}`),
    ),
    // A server may be older than the notice.
    ...(consolidation_notice ? [consolidation_notice.message] : []),
  ];
}

/** What others changed since the last visit, of what is not listed already. */
export function changeLines(
  { changed, last_visit }: HookBriefing,
  isListed: (entry: BriefedLine) => boolean,
): string[] {
  if (last_visit === null) return [];
  const news = changed.filter((entry) => !isListed(entry) && entry.evidence_status !== 'discredited');
  const lines = news.map((entry) => (entry.change === 'deleted' ? `- ${nameOf(entry)} was deleted` : entryLine(entry)));
  return section(`Changed since your last visit on ${last_visit.at.slice(0, 10)}:`, lines);
}
