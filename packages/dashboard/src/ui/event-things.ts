import { actorOf, type FeedEvent, SERVICE_AGENT } from '../data/events.ts';
import { hrefOf } from '../router/address.ts';
import { eventTexts as texts } from '../texts/events.ts';

/** A member of an event's details as text. */
export const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const count = (value: unknown): number => Number(value ?? 0);
const words = (value: unknown): string => text(value).replaceAll('_', ' ');

/** Where the thing leads that an event names, by the first of these members that it has. */
const PLACES: readonly (readonly [member: string, placeOf: (id: string) => string])[] = [
  ['incident_id', (id) => hrefOf('incidents', id)],
  ['rule_id', () => hrefOf('alerts')],
  ['fix_id', (id) => hrefOf('fixes', id)],
  ['pattern_id', (id) => hrefOf('patterns', id)],
  ['scan_id', () => hrefOf('patterns')],
  ['case_run_id', (id) => hrefOf('cases', '', { run: id })],
  ['case_id', (id) => hrefOf('cases', id)],
  ['backfill_id', () => hrefOf('backfills')],
  ['judge_id', (id) => hrefOf('judges', id)],
  ['behavior_id', (id) => hrefOf('behaviors', id)],
  ['room_id', (id) => hrefOf('rooms', id)],
  ['quarantine_id', () => hrefOf('branches', '', { view: 'quarantine' })],
  ['merge_id', () => hrefOf('branches', '', { view: 'merges' })],
  ['tag', () => hrefOf('branches', '', { view: 'tags' })],
  ['team_id', (id) => hrefOf('admin/teams', '', { team: id })],
  ['connector', (id) => hrefOf('connectors', id)],
];

/** Types whose events name nothing, and the page that they are about. */
const PAGES: Readonly<Record<string, string>> = {
  traces_judged: 'verdicts',
  verdicts_counted: 'verdicts',
  model_judging_started: 'verdicts',
  traces_matched: 'behaviors',
  budget_set: 'judges',
  fix_policy_set: 'fixes',
};

/** The page of the thing that an event is about, where it has one. */
export function placeOfThing({ event_type, details }: FeedEvent): string | undefined {
  for (const [member, placeOf] of PLACES) {
    const id = text(details[member]);
    if (id !== '') return placeOf(id);
  }
  return Object.hasOwn(PAGES, event_type) ? hrefOf(PAGES[event_type] as string) : undefined;
}

/** What such a thing is called: by the first of these members that the event has. */
const NAMES = ['title', 'source_id', 'rule_id', 'case_id', 'judge_id', 'behavior_id', 'set_id', 'tag', 'slug'] as const;

export function nameOfThing({ event_type, details }: FeedEvent): string {
  // The log of an account names the room, that of a room what its account is called there.
  if (event_type.startsWith('room_'))
    return [details.name, details.room_id, details.label].map(text).find(Boolean) ?? '';
  const found = NAMES.map((member) => text(details[member])).find((name) => name !== '');
  if (found !== undefined) return found;
  if (event_type.startsWith('pattern_')) return words(details.pattern_type);
  return text(details.connector);
}

/** Who did it, as words. */
export function actorName(event: FeedEvent): string {
  const actor = actorOf(event);
  return actor === SERVICE_AGENT ? texts.service : actor;
}

export type EventWords = { tone: string; words: string; note: string };

export const plain = (shown: string, note = ''): EventWords => ({ tone: 'second', words: shown, note });
const bad = (shown: string, note = ''): EventWords => ({ tone: 'bad', words: shown, note });
const good = (shown: string, note = ''): EventWords => ({ tone: 'good', words: shown, note });
type WordsOf = (details: FeedEvent['details']) => EventWords;

const failures: WordsOf = ({ failures: n }) => (n === undefined ? plain('') : bad(texts.failures(count(n))));
const entries: WordsOf = ({ entries: n }) => plain('', n === undefined ? '' : texts.entries(count(n)));
const status: WordsOf = (details) => plain(words(details.status));
const severity: WordsOf = (details) => plain('', words(details.severity));

/** What happened to the thing. */
export const THING_WORDS: Readonly<Record<string, WordsOf>> = {
  traces_judged: ({ failed, verdicts }) =>
    (count(failed) > 0 ? bad : good)(texts.verdicts(count(failed), count(verdicts))),
  verdict_overruled: ({ result }) =>
    typeof result === 'string' ? (result === 'fail' ? bad : good)(words(result)) : plain(''),
  verdicts_counted: entries,
  judge_defined: ({ judge_version, status: is }) => plain('', texts.version(count(judge_version), is)),
  behavior_defined: ({ behavior_version, status: is }) => plain('', texts.version(count(behavior_version), is)),
  traces_matched: ({ matched }) => plain('', texts.matched(count(matched))),
  backfill_ended: ({ status: is, traces }) => plain(words(is), texts.traces(count(traces))),
  case_changed: status,
  cases_run: ({ passed, cases }) =>
    (count(passed) < count(cases) ? bad : good)(texts.passed(count(passed), count(cases))),
  alert_rule_changed: status,
  alert_raised: ({ metric }) => plain('', words(metric)),
  incident_opened: failures,
  incident_grown: failures,
  incident_reopened: failures,
  fix_proposed: entries,
  fix_approved: entries,
  fix_dismissed: entries,
  fix_policy_set: ({ policy }) => plain(words(policy)),
  pattern_opened: severity,
  pattern_reopened: severity,
  pattern_scan_ended: ({ status: is, patterns_opened }) =>
    plain(words(is), patterns_opened === undefined ? '' : texts.opened(count(patterns_opened))),
  quarantine: entries,
  quarantine_undone: entries,
  conflict_resolved: ({ resolved }) => plain('', texts.conflicts(count(resolved))),
  merge_aborted: ({ conflicts }) => plain('', texts.conflicts(count(conflicts))),
  dead_letter_replayed: ({ replayed }) => (replayed === true ? plain('') : bad(texts.failedAgain)),
  pull_request_reviewed: ({ decision }) => plain(words(decision)),
  pull_request_checked: ({ check, status: is }) => (is === 'failed' ? bad : plain)(words(is), text(check)),
  member_added: ({ role }) => plain(words(role)),
  member_updated: ({ role }) => plain(words(role)),
  agent_updated: ({ part }) => plain('', words(part)),
  edge_added: ({ source, relation, target }) => plain('', [source, relation, target].map(text).join(' ').trim()),
};
