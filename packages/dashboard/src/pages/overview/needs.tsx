import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isIncident } from '../../data/events.ts';
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
import type { Overview } from './overview-data.ts';

const texts = overview.needs;
const EACH = 4;
const REFETCH_MS = 15_000;

type Need = { id: string; kind: string; tone: string; title: ReactNode; note: string; at: string; href: string };

const REVIEWS = { name: 'pull_requests.list', input: { status: 'open', limit: 1 } } as const;

/** What the service cannot decide: the gravest first, and of a kind the newest. */
export function NeedsAPerson({ data }: { data: Overview }) {
  const now = useNow();
  const contested = useOperation(
    'entries.list',
    { evidence_status: 'contested', sort: 'recent', fields: 'meta', limit: EACH },
    { refetchMs: REFETCH_MS },
  );
  const reviews = useReviews();
  const needs = [...incidentsOf(data), ...contestedOf(contested), ...staleOf(data), ...reviews];
  const questions = [contested, data.outcomes, data.staleReads];
  const failed = questions.find(({ error, data: known }) => error !== null && known === undefined);
  const isLoading = failed === undefined && contested.isPending && needs.length === 0;
  const retry = () => questions.forEach(({ error, refetch }) => void (error !== null && refetch()));
  return (
    <Section
      tour="needs"
      title={texts.title}
      note={needs.length > 0 ? needs.length : undefined}
      className={styles.needs}
    >
      {isLoading && <Skeleton rows={4} />}
      {failed && <ErrorState error={failed.error} onRetry={retry} />}
      {!isLoading && !failed && needs.length === 0 && <p className="third">{texts.nothing}</p>}
      <ul className={styles.list}>
        {needs.map(({ id, kind, tone, title, note, at, href }) => (
          <li key={id}>
            <a className={styles.need} href={href}>
              <span className={`${tone} small`}>{kind}</span>
              <span className="cut strong">{title}</span>
              <span className="third small">{ago(at, now)}</span>
              <span className={`${styles.needNote} third small cut`}>{note}</span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function incidentsOf({ outcomes }: Overview): Need[] {
  const grave = outcomes.data?.outcomes.filter(({ outcome_type }) => isIncident(outcome_type)) ?? [];
  return grave.slice(0, EACH).map(({ outcome_id, outcome_type, outcome_ref, entries, committed_at, trace_id }) => ({
    id: `incident-${outcome_id}`,
    kind: texts.incident,
    tone: 'bad',
    title: texts.incidentTitle(outcome_type, outcome_ref),
    note: texts.incidentNote(entries.length),
    at: committed_at,
    href: trace_id === null ? hrefOf('traces', '', { outcome_ref }) : hrefOf('traces', trace_id),
  }));
}

type Answer = UseQueryResult<import('../../data/client.ts').Output<'entries.list'>, unknown>;

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

function staleOf({ staleReads }: Overview): Need[] {
  const changed = staleReads.data?.stale_reads.filter(({ value_changed }) => value_changed) ?? [];
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
function useReviews(): Need[] {
  const isInstalled = useInstalled([REVIEWS]).get(REVIEWS.name) === true;
  const answer = useOperation(
    'pull_requests.list',
    { status: 'open', limit: EACH },
    { enabled: isInstalled, refetchMs: REFETCH_MS },
  );
  return (answer.data?.pull_requests ?? []).map(({ id, title, source_branch, target_branch, updated_at }) => ({
    id: `review-${id}`,
    kind: texts.review,
    tone: 'second',
    title,
    note: texts.reviewNote(source_branch, target_branch),
    at: updated_at,
    href: hrefOf('pulls', id),
  }));
}
