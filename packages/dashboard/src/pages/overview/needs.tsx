import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Output } from '../../data/client.ts';
import { useInstalled } from '../../data/installed.ts';
import { newestFirst } from '../../data/newest-first.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { ago } from '../../texts/format.ts';
import { overview } from '../../texts/overview.ts';
import { EntryName } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { IncidentTitle } from '../evaluation/evaluation-marks.tsx';
import styles from './overview.module.css';
import type { Overview, OverviewOutcome } from './overview-data.ts';
import { ALERTS, CONTESTED, EACH, FAILING, incidentsOf, REVIEWS, weekBefore } from './questions.ts';

const texts = overview.needs;
/** The question itself shows whether the module is there. */
const REVIEWS_PROBE = { name: 'pull_requests.list', input: REVIEWS } as const;
const FAILING_PROBE = { name: 'incidents.list', input: FAILING } as const;
const ALERTS_PROBE = { name: 'alerts.list', input: ALERTS } as const;
const often = { refetchMs: 15_000 };
/** Where more grave outcomes are found, if none of their types has more than a page. */
const LEAST = 'p2_incident';

type Need = { id: string; kind: string; tone: string; title: ReactNode; note: string; at: string; href: string };

/** What the service cannot decide: the gravest first, and of a kind the newest. */
export function NeedsAPerson({ stale }: { stale: Overview['allStale'] }) {
  const now = useNow();
  const since = weekBefore(now);
  const grave = useGraveOutcomes(since);
  const contested = useOperation('entries.list', CONTESTED, often);
  const failing = useFailing();
  const alerts = useAlerts();
  const reviews = useReviews();
  const needs = [
    ...grave.needs,
    ...failing.needs,
    ...alerts.needs,
    ...contestedOf(contested),
    ...staleOf(stale, since),
    ...reviews.needs,
  ];
  const more = [
    ...grave.more,
    ...failing.more,
    ...alerts.more,
    ...(contested.data?.has_more
      ? [{ label: texts.more.contested, href: hrefOf('memory', '', { status: 'contested' }) }]
      : []),
    ...reviews.more,
  ];
  const questions = [contested, stale, ...grave.questions];
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

/** The newest grave outcomes of each type, whatever else was committed since. */
function useGraveOutcomes(since: string) {
  const p1 = useOperation('outcomes.list', incidentsOf('p1_incident', since), often);
  const p2 = useOperation('outcomes.list', incidentsOf('p2_incident', since), often);
  const critical = useOperation('outcomes.list', incidentsOf('critical_failure', since), often);
  const answers = { p1_incident: p1, p2_incident: p2, critical_failure: critical };
  // What is left of an agent that was erased names neither a run nor memory: nobody could do anything about it.
  const found = Object.values(answers).flatMap(({ data }) => data?.outcomes.filter(isThere) ?? []);
  const newest = found.sort((a, b) => newestFirst(a.committed_at, b.committed_at));
  const rest = Object.entries(answers).find(([, { data }]) => data?.has_more) ?? (found.length > EACH && [LEAST]);
  const more = rest ? [{ label: texts.more.outcome, href: hrefOf('traces', '', { outcome: rest[0] }) }] : [];
  return { needs: newest.slice(0, EACH).map(graveOutcome), more, questions: Object.values(answers) };
}

const isThere = ({ agent_id }: OverviewOutcome): boolean => !agent_id.startsWith('erased/');

const graveOutcome = (outcome: OverviewOutcome): Need => {
  const { outcome_id, outcome_type, outcome_ref, entries, committed_at, trace_id } = outcome;
  return {
    id: `outcome-${outcome_id}`,
    kind: texts.outcome,
    tone: 'bad',
    title: texts.outcomeTitle(outcome_type, outcome_ref),
    note: texts.outcomeNote(entries.length),
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

function staleOf({ data }: Overview['allStale'], since: string): Need[] {
  const recent = data?.stale_reads.filter(({ committed_at }) => committed_at >= since) ?? [];
  const changed = recent.filter(({ value_changed }) => value_changed);
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
  const isMissing = useInstalled([REVIEWS_PROBE]).get(REVIEWS_PROBE.name) === false;
  const answer = useOperation('pull_requests.list', REVIEWS, { enabled: !isMissing, ...often });
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

/** Incidents that are open, where the module answers. */
function useFailing() {
  const isMissing = useInstalled([FAILING_PROBE]).get(FAILING_PROBE.name) === false;
  const answer = useOperation('incidents.list', FAILING, { enabled: !isMissing, isLater: true, ...often });
  const needs = (answer.data?.incidents ?? []).map(({ incident_id, reason, opened_at, ...incident }) => ({
    id: `failing-${incident_id}`,
    kind: texts.failing,
    tone: 'bad',
    title: <IncidentTitle incident={incident} />,
    note: reason,
    at: opened_at,
    href: hrefOf('incidents', incident_id),
  }));
  const href = hrefOf('incidents', '', { status: 'open' });
  return { needs, more: answer.data?.has_more ? [{ label: texts.more.failing, href }] : [] };
}

/** Alerts that nobody has acknowledged, where the module answers. */
function useAlerts() {
  const isMissing = useInstalled([ALERTS_PROBE]).get(ALERTS_PROBE.name) === false;
  const answer = useOperation('alerts.list', ALERTS, { enabled: !isMissing, isLater: true, ...often });
  const needs = (answer.data?.alerts ?? []).map(({ alert_id, rule_id, reason, raised_at }) => ({
    id: `alert-${alert_id}`,
    kind: texts.alert,
    tone: 'warn',
    title: rule_id,
    note: reason,
    at: raised_at,
    href: hrefOf('alerts'),
  }));
  return { needs, more: answer.data?.has_more ? [{ label: texts.more.alert, href: hrefOf('alerts') }] : [] };
}
