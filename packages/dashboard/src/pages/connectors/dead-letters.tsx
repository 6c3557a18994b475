import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Output } from '../../data/client.ts';
import { useAction, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { connectors } from '../../texts/connectors.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Section } from '../../ui/section.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded, Progress } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './connectors.module.css';

const texts = connectors.letters;
const PAGE = 50;
const CHANGES = ['dead_letters.list', 'connectors.list', 'connectors.read', 'agents.timeline'] as const;

export type ListedLetter = Output<'dead_letters.list'>['dead_letters'][number];

/** Events that could not be transformed, of one connector or of all; each can be tried again. */
export function DeadLetters({ connector }: { connector?: string }) {
  const now = useNow();
  const input = { limit: PAGE, ...(connector === undefined ? {} : { connector }) };
  const call = { name: 'dead_letters.list', input } as const;
  const pages = usePages('dead_letters.list', input);
  const letters = pages.data?.pages.flatMap((page) => page.dead_letters) ?? [];
  const replay = useAction('dead_letters.replay', {
    changes: CHANGES,
    onDone: ({ replayed, reason, results }) =>
      showToast(replayed ? texts.replayed(results.length) : texts.failedAgain(reason ?? '')),
  });
  const all = useRetryAll(letters);
  const actions = (
    <>
      {letters.length > 1 && all.progress === undefined && (
        <Button onClick={() => void all.run()}>{texts.retryAll(letters.length)}</Button>
      )}
      {connector === undefined ? null : <CopyAs call={call} />}
    </>
  );
  const error = replay.error ?? all.error;
  return (
    <Section bleed title={texts.title} note={texts.note} actions={actions} className={styles.last}>
      {all.progress && (
        <div className={styles.inset}>
          <Progress
            label={texts.progress(all.progress.done, all.progress.total)}
            {...all.progress}
            onCancel={all.cancel}
          />
        </div>
      )}
      {error !== null && error !== undefined && (
        <div className={styles.inset}>
          <ErrorState error={error} isAction />
        </div>
      )}
      <Loaded answer={pages} call={call} rows={2}>
        {() =>
          letters.length === 0 ? (
            <p className={`${styles.inset} third`}>{texts.none}</p>
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now, connector !== undefined, {
                busy: replay.isPending ? replay.variables?.letter_id : undefined,
                retry: (letter_id) => replay.mutate({ letter_id }),
              })}
              rows={letters}
              keyOf={({ letter_id }) => letter_id}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
    </Section>
  );
}

type LettersProgress = { done: number; total: number };

/** One after the other, so that it can be stopped. */
function useRetryAll(letters: readonly ListedLetter[]) {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<LettersProgress>();
  const [error, setError] = useState<unknown>();
  const [stop, setStop] = useState<AbortController>();
  const run = async () => {
    const controller = new AbortController();
    setStop(controller);
    setError(undefined);
    let done = 0;
    let failed = 0;
    try {
      for (const { letter_id } of letters) {
        if (controller.signal.aborted) break;
        setProgress({ done: done + failed, total: letters.length });
        const { replayed } = await client().call('dead_letters.replay', { letter_id });
        if (replayed) done++;
        else failed++;
      }
      showToast(texts.allDone(done, failed));
    } catch (caught) {
      setError(caught);
    } finally {
      setProgress(undefined);
      for (const name of CHANGES) void queries.invalidateQueries({ queryKey: [name] });
    }
  };
  return { progress, error, run, cancel: () => stop?.abort() };
}

type Retry = { busy: string | undefined; retry: (letterId: string) => void };

const columnsAt = (now: number, isOfOne: boolean, { busy, retry }: Retry): readonly Column<ListedLetter>[] => [
  {
    id: 'type',
    head: texts.columns.type,
    width: 220,
    phone: 'name',
    cell: ({ event_type, connector }) => (
      <>
        {!isOfOne && <span className="third">{connector} </span>}
        <span className="mono">{event_type}</span>
      </>
    ),
  },
  {
    id: 'reason',
    head: texts.columns.reason,
    phone: 'detail',
    cell: ({ reason, entity_path, key }) => (
      <span title={reason}>
        {entity_path !== null && key !== null && (
          <>
            <a className="link" href={hrefOf('memory', entity_path, { key })}>
              {texts.raw}
            </a>{' '}
          </>
        )}
        <span className="bad">{reason}</span>
      </span>
    ),
  },
  {
    id: 'attempts',
    head: texts.columns.attempts,
    width: 190,
    phone: 'hide',
    cell: ({ attempts, next_attempt_at }) => (
      <span className="third">
        {texts.attempts(attempts)}, {next_attempt_at === null ? texts.noNext : texts.next(fullTimeOf(next_attempt_at))}
      </span>
    ),
  },
  {
    id: 'at',
    head: texts.columns.at,
    width: 84,
    phone: 'time',
    cell: ({ received_at }) => (
      <time className="third" dateTime={received_at} title={fullTimeOf(received_at)}>
        {ago(received_at, now)}
      </time>
    ),
  },
  {
    id: 'do',
    head: texts.columns.do,
    width: 96,
    end: true,
    phone: 'value',
    cell: ({ letter_id, id }) => (
      <Button
        kind="chipButton"
        busy={busy === letter_id}
        aria-label={texts.retryOf(id)}
        onClick={() => retry(letter_id)}
      >
        {texts.retry}
      </Button>
    ),
  },
];
