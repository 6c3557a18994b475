import type { Output } from '../../data/client.ts';
import { isFailure } from '../../data/events.ts';
import { usePages } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate } from '../../router/router.tsx';
import { dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Delta } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { onBranch, roomOf, type ShownAddress } from './memory-address.ts';
import styles from './parts.module.css';
import { reasonOf } from './story-scale.ts';

const texts = memory.ledTo;
const PAGE = 100;

type Outcome = Output<'outcomes.list'>['outcomes'][number];
type Share = Outcome['entries'][number];
/** An outcome with what it did to this entry. */
type OutcomeOfEntry = { outcome: Outcome; share: Share };

const inputOf = ({ entity_path, key, branch }: ShownAddress) => ({
  entity_path,
  key,
  ...onBranch(branch),
  limit: PAGE,
});

/** Outcomes that the entry led to. */
export function useLedTo(entry: ShownAddress) {
  const answer = usePages('outcomes.list', inputOf(entry), { enabled: roomOf(entry.entity_path) === undefined });
  const pages = answer.data?.pages;
  const found = pages?.flatMap(({ outcomes }) =>
    outcomes.flatMap((outcome) =>
      outcome.entries
        .filter(({ entity_path, key }) => entity_path === entry.entity_path && key === entry.key)
        .map((share): OutcomeOfEntry => ({ outcome, share })),
    ),
  );
  return {
    ...answer,
    data: found,
    found,
    hasMore: answer.hasNextPage,
    more: () => void answer.fetchNextPage(),
  };
}

export function LedToPart({ ledTo, entry }: { ledTo: ReturnType<typeof useLedTo>; entry: ShownAddress }) {
  return (
    <Section title={texts.title} note={texts.note} bleed>
      <Loaded answer={ledTo} call={{ name: 'outcomes.list', input: inputOf(entry) }}>
        {(found) => (
          <>
            {found.length === 0 ? (
              <p className={`${styles.nothing} third`}>{texts.nothing}</p>
            ) : (
              <Table
                label={texts.title}
                columns={columns}
                rows={found}
                keyOf={({ outcome, share }) => `${outcome.outcome_id} ${share.attempt}`}
                onOpen={({ outcome }) => navigate(hrefOfOutcome(outcome))}
              />
            )}
            {ledTo.hasMore && (
              <p className={styles.more}>
                <Button kind="quiet" busy={ledTo.isFetchingNextPage} onClick={ledTo.more}>
                  {texts.more}
                </Button>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

const hrefOfOutcome = ({ trace_id, outcome_ref }: Outcome): string =>
  trace_id === null ? hrefOf('traces', '', { outcome_ref }) : hrefOf('traces', trace_id);

const columns: readonly Column<OutcomeOfEntry>[] = [
  {
    id: 'outcome',
    head: texts.columns.outcome,
    width: 220,
    phone: 'name',
    cell: ({ outcome, share }) => (
      <>
        <span className={isFailure(share.outcome_type) ? 'bad' : 'good'}>
          {share.outcome_type.replaceAll('_', ' ')}
        </span>{' '}
        <a className="mono second" href={hrefOfOutcome(outcome)}>
          {outcome.outcome_ref}
        </a>
      </>
    ),
  },
  {
    id: 'why',
    head: texts.columns.why,
    phone: 'detail',
    cell: ({ share }) => (
      <span className={share.applied ? 'second' : 'third'} title={share.why}>
        {reasonOf(share)}
      </span>
    ),
  },
  {
    id: 'moved',
    head: texts.columns.moved,
    width: 112,
    end: true,
    phone: 'value',
    cell: ({ share: { applied, confidence_before, confidence_after } }) =>
      applied && confidence_after !== null && <Delta before={confidence_before} after={confidence_after} />,
  },
  {
    id: 'time',
    head: texts.columns.time,
    width: 112,
    end: true,
    phone: 'time',
    cell: ({ outcome: { committed_at } }) => (
      <time className="third" title={fullTimeOf(committed_at)}>
        {dayAndTime(committed_at)}
      </time>
    ),
  },
];
