import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Output } from '../../data/client.ts';
import { useInstalled } from '../../data/installed.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { ago } from '../../texts/format.ts';
import { overview } from '../../texts/overview.ts';
import { EntryName } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import styles from './overview.module.css';
import type { OverviewOutcome } from './overview-data.ts';

const texts = overview.needs;
const EACH = 4;
const often = { refetchMs: 15_000 };
/** Nobody may have looked for some days. */
const DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;
/** Where more incidents are found, if none of their kinds has more than a page. */
const LEAST = 'p2_incident';

type Need = { id: string; kind: string; tone: string; title: ReactNode; note: string; at: string; href: string };

const REVIEWS = { name: 'pull_requests.list', input: { status: 'open', limit: 1 } } as const;

/** What the service cannot decide: the gravest first, and of a kind the newest. */
export function NeedsAPerson() {
  const now = useNow();
  const since = dayBefore(now);
  const incidents = useIncidents(since);
  const contested = useOperation(
    'entries.list',
    { evidence_status: 'contested', sort: 'recent', fields: 'meta', limit: EACH },
    often,
  );
  const stale = useOperation('stale_reads.list', { since, limit: 50 }, often);
  const reviews = useReviews();
  const needs = [...incidents.needs, ...contestedOf(contested), ...staleOf(stale), ...reviews.needs];
  const more = [
    ...incidents.more,
    ...(contested.data?.has_more
      ? [{ label: texts.more.contested, href: hrefOf('memory', '', { status: 'contested' }) }]
      : []),
    ...reviews.more,
  ];
  const questions = [contested, stale, ...incidents.questions];
  const failed = questions.find(({ error, data: known }) => error !== null && known === undefined);
  const isLoading = failed === undefined && contested.isPending && needs.length === 0;
  const retry = () => questions.forEach(({ error, refetch }) => void (error !== null && refetch()));
  const note = `${needs.length}${more.length > 0 ? '+' : ''}`;
  return (
    <Section tour="needs" title={texts.title} note={needs.length > 0 ? note : undefined} className={styles.needs}>
      {isLoading && <Skeleton rows={4} />}
      {failed && <ErrorState error={failed.error} onRetry={retry} />}
      {!isLoading && !failed && needs.length === 0 && <p className="third">{texts.nothing}</p>}
      <ul className={styles.list}>
        {needs.map(({ id, kind, tone, title, note: about, at, href }) => (
          <li key={id}>
            <a className={styles.need} href={href}>
              <span className={`${tone} small`}>{kind}</span>
              <span className="cut strong">{title}</span>
              <span className="third small">{ago(at, now)}</span>
              <span className={`${styles.needNote} third small cut`}>{about}</span>
            </a>
          </li>
        ))}
      </ul>
      {more.length > 0 && (
        <p className="line small">
          {more.map(({ label, href }) => (
            <a key={href} className="link" href={href}>
              {label}
            </a>
          ))}
        </p>
      )}
    </Section>
  );
}

/** The day a week ago. */
const dayBefore = (now: number): string => new Date(now - DAYS * DAY_MS).toISOString().slice(0, 10);

/** The newest of each kind of incident, whatever else was committed since. */
function useIncidents(since: string) {
  const p1 = useOperation('outcomes.list', { outcome_type: 'p1_incident', since, limit: EACH }, often);
  const p2 = useOperation('outcomes.list', { outcome_type: 'p2_incident', since, limit: EACH }, often);
  const critical = useOperation('outcomes.list', { outcome_type: 'critical_failure', since, limit: EACH }, often);
  const answers = { p1_incident: p1, p2_incident: p2, critical_failure: critical };
  const found = Object.values(answers).flatMap(({ data }) => data?.outcomes ?? []);
  const newest = found.sort((a, b) => b.committed_at.localeCompare(a.committed_at));
  const rest = Object.entries(answers).find(([, { data }]) => data?.has_more) ?? (found.length > EACH && [LEAST]);
  const more = rest ? [{ label: texts.more.incident, href: hrefOf('traces', '', { outcome: rest[0] }) }] : [];
  return { needs: newest.slice(0, EACH).map(incidentOf), more, questions: Object.values(answers) };
}

const incidentOf = (outcome: OverviewOutcome): Need => {
  const { outcome_id, outcome_type, outcome_ref, entries, committed_at, trace_id } = outcome;
  return {
    id: `incident-${outcome_id}`,
    kind: texts.incident,
    tone: 'bad',
    title: texts.incidentTitle(outcome_type, outcome_ref),
    note: texts.incidentNote(entries.length),
    at: committed_at,
    href: trace_id === null ? hrefOf('traces', '', { outcome_ref }) : hrefOf('traces', trace_id),
  };
};

type Answer = UseQueryResult<Output<'entries.list'>, unknown>;

function contestedOf({ data }: Answer): Need[] {
  return (data?.entries ?? []).map(
    ({ entity_path, key, success_count, failure_count, last_outcome_at, provenance }) => ({
      id: `contested-${entity_path}/${key}`,
      kind: texts.contested,
      tone: 'warn',
      title: <EntryName path={entity_path} name={key} />,
      note: texts.contestedNote(success_count, failure_count),
      at: last_outcome_at ?? provenance.written_at,
      href: hrefOf('memory', entity_path, { key }),
    }),
  );
}

function staleOf({ data }: UseQueryResult<Output<'stale_reads.list'>, unknown>): Need[] {
  const changed = data?.stale_reads.filter(({ value_changed }) => value_changed) ?? [];
  return changed.slice(0, EACH).map((read) => ({
    id: `stale-${read.outcome_ref}-${read.entity_path}/${read.key}-${read.committed_at}`,
    kind: texts.stale,
    tone: 'second',
    title: <EntryName path={read.entity_path} name={texts.staleTitle(read.key, read.read_version)} />,
    note: texts.staleNote(read),
    at: read.committed_at,
    href:
      read.trace_id === null ? hrefOf('memory', read.entity_path, { key: read.key }) : hrefOf('traces', read.trace_id),
  }));
}

/** Open pull requests, where the module answers. */
function useReviews() {
  const isInstalled = useInstalled([REVIEWS]).get(REVIEWS.name) === true;
  const answer = useOperation(
    'pull_requests.list',
    { status: 'open', limit: EACH },
    { enabled: isInstalled, ...often },
  );
  const needs = (answer.data?.pull_requests ?? []).map(({ id, title, source_branch, target_branch, updated_at }) => ({
    id: `review-${id}`,
    kind: texts.review,
    tone: 'second',
    title,
    note: texts.reviewNote(source_branch, target_branch),
    at: updated_at,
    href: hrefOf('pulls', id),
  }));
  return { needs, more: answer.data?.has_more ? [{ label: texts.more.review, href: hrefOf('pulls') }] : [] };
}
