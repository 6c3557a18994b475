import { type AnswerItem, count, of, type TerminalLayout, time, version } from './column-makers.ts';
import { readable } from './figures.ts';
import type { Column } from './table.ts';
import { show } from './text.ts';

/** The judges and behaviors of the incidents that it stands for, as far as they are listed. */
function reportedBy({ source_kind, source_id, related, related_complete }: AnswerItem): string {
  const all = [{ source_kind, source_id }, ...((related ?? []) as AnswerItem[])];
  const names = new Map(all.map((one) => [`${one.source_kind} ${one.source_id}`, one.source_kind]));
  const judges = [...names.values()].filter((kind) => kind === 'judge').length;
  const parts = [counted(judges, 'judge'), counted(names.size - judges, 'behavior')].filter((part) => part !== '');
  return `${related_complete === false ? 'at least ' : ''}${parts.join(', ')}`;
}

const counted = (n: number, what: string): string => (n === 0 ? '' : `${n} ${what}${n === 1 ? '' : 's'}`);

/** The first of the entries that a fix corrects, and how many more. */
function correctedBy({ first_entry, entry_count }: AnswerItem): string {
  if (first_entry === undefined) return '';
  const { entity_path, key } = first_entry as AnswerItem;
  const others = Number(entry_count) - 1;
  return `${show(entity_path)}/${show(key)}${others > 0 ? ` and ${others} more` : ''}`;
}

/** The columns of what judges find, and of what is done about it. */
export const evaluationColumns = {
  'judges.list': [
    { ...of('JUDGE_ID', 'judge_id'), whole: true },
    version,
    of('STATUS', 'status'),
    { title: 'KIND', of: ({ definition }) => show((definition as AnswerItem).kind) },
    of('FOR', 'for_agent'),
    of('AT', 'for_path'),
    count('SHARE', 'sampling_rate'),
    time('updated_at'),
    of('DESCRIPTION', 'description'),
  ],
  'incidents.list': [
    of('INCIDENT_ID', 'incident_id'),
    of('STATUS', 'status'),
    of('KIND', 'source_kind'),
    of('OF', 'source_id'),
    { title: 'REPORTED BY', of: reportedBy },
    of('AGENT', 'agent_id'),
    of('BRANCH', 'branch'),
    time('opened_at'),
    { title: 'SINCE', of: ({ since }) => readable(since) },
    of('REASON', 'reason'),
  ],
  'fixes.list': [
    of('FIX_ID', 'fix_id'),
    of('STATUS', 'status'),
    of('POLICY', 'policy'),
    { title: 'FOR', of: ({ source }) => show((source as AnswerItem).kind) },
    { title: 'FIX OF', of: correctedBy },
    count('ENTRIES', 'entry_count'),
    of('BY', 'agent_id'),
    time('created_at'),
    of('SUMMARY', 'summary'),
    of('BRANCH', 'branch'),
  ],
  'verdicts.list': [
    of('TRACE_ID', 'trace_id'),
    of('JUDGE_ID', 'judge_id'),
    { ...version, of: ({ judge_version }) => show(judge_version) },
    of('RESULT', 'result'),
    { title: 'SCORE', right: true, of: ({ score }) => readable(score) },
    of('REASON', 'reason'),
    of('AGENT', 'agent_id'),
    time('traced_at'),
    { title: 'JUDGE SAID', of: ({ result, judge_result }) => (result === judge_result ? '' : show(judge_result)) },
    { title: 'PARTIAL', of: ({ partial }) => (partial === true ? 'partial' : '') },
    of('VERDICT_ID', 'verdict_id'),
  ],
} satisfies Record<string, readonly Column<AnswerItem>[]>;

export const evaluationLayouts = {
  'incidents.list': {
    main: ['INCIDENT_ID', 'STATUS', 'OF', 'REASON', 'WHEN'],
    extra: ['REPORTED BY', 'AGENT', 'SINCE', 'BRANCH'],
  },
  'fixes.list': { main: ['FIX_ID', 'STATUS', 'FIX OF', 'SUMMARY', 'WHEN'], extra: ['FOR', 'POLICY', 'BY'] },
  'verdicts.list': {
    main: ['TRACE_ID', 'JUDGE_ID', 'RESULT', 'REASON', 'WHEN'],
    extra: ['JUDGE SAID', 'SCORE', 'AGENT', 'VER', 'PARTIAL'],
  },
} satisfies Record<string, TerminalLayout>;
