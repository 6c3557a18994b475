import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Output, Request } from '../../data/client.ts';
import type { CopiedCall } from '../../data/copy-as.ts';
import { useOperation } from '../../data/query.ts';
import { number, percent } from '../../texts/format.ts';
import { search } from '../../texts/search.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { useMedia } from '../../ui/use-media.ts';
import { excerptOf, stemsOf, stemsOfQuestion } from './highlight.ts';
import { Result, type ShownResult } from './result.tsx';
import styles from './search.module.css';
import type { SearchProps } from './search-page.tsx';
import { WhyMeaning, WhyWords } from './why.tsx';

type Found = Output<'entries.search'>;
type Recalled = Output<'entries.retrieve'>;

type AnsweredProps<T> = { answer: QuestionState<T>; call: CopiedCall; children: (data: T) => ReactNode };
type QuestionState<T> = { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };

/** Bars and errors keep the margins of the page, which the results do not need. */
function Answered<T>({ answer, call, children }: AnsweredProps<T>) {
  if (answer.data !== undefined) return children(answer.data);
  return (
    <div className={styles.nothing}>
      <Loaded answer={answer} rows={8} call={call}>
        {children}
      </Loaded>
    </div>
  );
}

type WordsProps = SearchProps & {
  answer: UseInfiniteQueryResult<InfiniteData<Found>, unknown>;
  isAsked: boolean;
  input: Request<'entries.search'>;
};

export function WordResults({ values, set, answer, isAsked, input }: WordsProps) {
  if (!isAsked) return <Unasked title={search.start} hint={search.startHint} />;
  const stems = stemsOf(values.q);
  return (
    <Answered answer={answer} call={{ name: 'entries.search', input: input as Record<string, unknown> }}>
      {({ pages }) => {
        const found = pages.flatMap(({ entries }) => entries);
        const best = Math.max(0, ...found.map(({ score }) => score ?? 0));
        const results = found.map(
          (entry): ShownResult => ({
            ...entry,
            excerpt: excerptOf(entry.value, stems),
            why: (rank) => <WhyWords entry={entry} rank={rank} best={best} query={values.q} sort={values.sort} />,
            share: entry.score === null || best === 0 ? undefined : entry.score / best,
          }),
        );
        return (
          <ResultList
            results={results}
            stems={stems}
            values={values}
            set={set}
            isOld={answer.isPlaceholderData}
            note={
              <span>
                {search.found(results.length, answer.hasNextPage)}
                {pages.some(({ truncated }) => truncated) && ` ${search.truncated}`}
              </span>
            }
            end={
              answer.hasNextPage && (
                <Button busy={answer.isFetchingNextPage} onClick={() => void answer.fetchNextPage()}>
                  {search.more}
                </Button>
              )
            }
          />
        );
      }}
    </Answered>
  );
}

type MeaningProps = SearchProps & {
  answer: UseQueryResult<Recalled, unknown>;
  isAsked: boolean;
  input: Request<'entries.retrieve'>;
};

export function MeaningResults({ values, set, answer, isAsked, input }: MeaningProps) {
  if (!isAsked) return <Unasked title={search.ask} hint={search.askHint} />;
  const stems = stemsOfQuestion(values.q);
  return (
    <Answered answer={answer} call={{ name: 'entries.retrieve', input: input as Record<string, unknown> }}>
      {(data) => {
        const best = Math.max(0, ...data.entries.map(({ score }) => score));
        const shown = (entry: Recalled['entries'][number], isAvoided: boolean): ShownResult => ({
          ...entry,
          excerpt: excerptOf(entry.passage, stems),
          share: best === 0 ? undefined : Math.max(0, entry.score) / best,
          isAvoided,
          why: (rank) => <WhyMeaning entry={entry} rank={rank} weights={data.weights} isAvoided={isAvoided} />,
        });
        return (
          <ResultList
            results={[
              ...data.entries.map((entry) => shown(entry, false)),
              ...data.avoid.map((entry) => shown(entry, true)),
            ]}
            stems={stems}
            values={values}
            set={set}
            isOld={answer.isPlaceholderData}
            note={<MeaningNote data={data} />}
            end={null}
          />
        );
      }}
    </Answered>
  );
}

function MeaningNote({ data: { answerability, time, index, skipped, truncated } }: { data: Recalled }) {
  const { chance } = answerability;
  const notes = [
    time === null ? '' : search.time(time.phrase),
    index.embedder === null ? search.noMeaning : '',
    index.behind > 0 ? search.behind(number(index.behind)) : '',
    skipped.length > 0 ? search.skipped(skipped.join(', ')) : '',
    truncated ? search.truncated : '',
  ].filter(Boolean);
  return (
    <span>
      {chance !== null && (
        <span className={chance < 0.5 ? 'warn' : undefined}>{search.chance(percent(chance), chance < 0.5)}</span>
      )}{' '}
      {notes.join(' ')}
    </span>
  );
}

type ListProps = SearchProps & {
  results: readonly ShownResult[];
  stems: readonly string[];
  isOld: boolean;
  note: ReactNode;
  end: ReactNode;
};

export const hitOf = ({ entity_path, key }: { entity_path: string; key: string }) => `${entity_path}/${key}`;

/** The results, and beside them, or below the one that is chosen, why it is there. */
function ResultList({ results, stems, values, set, isOld, note, end }: ListProps) {
  const isWide = useMedia('(min-width: 1100px)');
  const chosen = results.findIndex((result) => hitOf(result) === values.hit);
  const explained = chosen >= 0 ? chosen : isWide ? 0 : -1;
  const result = results[explained];
  if (results.length === 0)
    return (
      <div className={styles.nothing}>
        <EmptyState
          title={search.none}
          actions={
            <Button
              onClick={() => set({ path: '', agent: '', type: '', min: '', since: '', until: '', branch: 'main' })}
            >
              {ui.clearFilters}
            </Button>
          }
        >
          <p className="second">{search.noneHint}</p>
        </EmptyState>
      </div>
    );
  return (
    <div className={styles.found}>
      <div className={styles.results}>
        <p className={`${styles.note} third small`} role="status">
          {note}
        </p>
        <ol aria-label={search.results} aria-busy={isOld || undefined}>
          {results.map((shown, i) => (
            <Result
              key={hitOf(shown)}
              result={shown}
              rank={i + 1}
              stems={stems}
              branch={values.branch}
              isChosen={i === explained}
              isFirstAvoided={shown.isAvoided === true && results[i - 1]?.isAvoided !== true}
              onChoose={() => set({ hit: i === chosen && !isWide ? '' : hitOf(shown) })}
              why={!isWide && i === explained ? shown.why(i + 1) : null}
            />
          ))}
        </ol>
        {end && <p className={styles.end}>{end}</p>}
      </div>
      {isWide && result && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys.
        <section className={styles.inspector} aria-label={search.why.title} tabIndex={0}>
          <h2 className="strong">{search.why.title}</h2>
          <p className="mono cut" title={hitOf(result)}>
            <span className="third">{result.entity_path}/</span>
            {result.key}
          </p>
          {result.why(explained + 1)}
        </section>
      )}
    </div>
  );
}

const EXAMPLE: CopiedCall = {
  name: 'entries.write',
  input: { entity_path: 'checkout/payments', key: 'retry-policy', value: 'three attempts' },
};

/** Before anything is asked. Where nothing is stored, what to ask for comes first. */
function Unasked({ title, hint }: { title: string; hint: string }) {
  const stats = useOperation('stats.read', {}, { isLater: true });
  const isEmpty = stats.data?.total_entries === 0;
  return (
    <div className={styles.nothing}>
      <EmptyState title={isEmpty ? search.empty : title}>
        <p className="second">{isEmpty ? search.emptyHint : hint}</p>
        {isEmpty && <CallCode label={search.emptyCode} calls={[EXAMPLE]} />}
      </EmptyState>
    </div>
  );
}
