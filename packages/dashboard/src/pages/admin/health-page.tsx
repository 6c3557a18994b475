import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { textParameter, useSearch } from '../../router/router.tsx';
import { admin } from '../../texts/admin.ts';
import { fullTimeOf, number } from '../../texts/format.ts';
import { pageTitles } from '../../texts/pages.ts';
import { healthTexts as texts } from '../../texts/usage.ts';
import { Button } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { TypedConfirmation } from '../../ui/dialog.tsx';
import { Figures, Tag } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './admin.module.css';
import { AdminBar, DetailHead, Panes } from './panes.tsx';

type LogConsumers = Output<'consumers.list'>;
type LogConsumer = LogConsumers['consumers'][number];

const parameters = { consumer: textParameter() };
const call = { name: 'consumers.list' as const, input: {} };
const HEALTH_MS = 10_000;

/** Whether the server and what follows its log keep up. */
export function HealthPage() {
  const [{ consumer }, set] = useSearch(parameters);
  const health = useOperation('health.read', { ready: true }, { refetchMs: HEALTH_MS });
  const consumers = useOperation('consumers.list', {});
  const shown = consumers.data?.consumers.find((one) => one.consumer === consumer);
  return (
    <Panes
      {...(shown
        ? { detail: <DeadLetters key={shown.consumer} state={shown} onClose={() => set({ consumer: '' })} /> }
        : {})}
    >
      <AdminBar title={pageTitles.health}>
        <Button busy={consumers.isFetching} onClick={() => void consumers.refetch()}>
          {admin.refresh}
        </Button>
        <CopyAs call={call} />
      </AdminBar>
      <div className={styles.part}>
        <Loaded answer={health} call={{ name: 'health.read', input: { ready: true } }}>
          {(data) => <HealthFigures health={data} log={consumers.data} />}
        </Loaded>
      </div>
      <Section title={texts.consumers} bleed>
        <Loaded answer={consumers} call={call}>
          {(log) => (
            <Table
              label={texts.consumers}
              columns={columnsOf(log.last_seq)}
              rows={[...log.consumers].sort((a, b) => b.dead_letters_total - a.dead_letters_total || a.seq - b.seq)}
              keyOf={(one) => one.consumer}
              selected={consumer}
              onOpen={(one) => set({ consumer: one.consumer })}
            />
          )}
        </Loaded>
      </Section>
    </Panes>
  );
}

function HealthFigures({ health, log }: { health: Output<'health.read'>; log: LogConsumers | undefined }) {
  const { figures } = texts;
  const writes = health.read_only
    ? figures.readOnly
    : health.writable === false
      ? figures.notWritable
      : figures.writable;
  const behind = log ? Math.max(0, ...log.consumers.map(({ seq }) => log.last_seq - seq)) : undefined;
  const dead = log?.consumers.reduce((sum, { dead_letters_total }) => sum + dead_letters_total, 0);
  return (
    <Figures
      figures={[
        { label: figures.status, value: figures.ok, note: figures.version(health.version) },
        { label: figures.database, value: health.backend, note: writes },
        { label: figures.schema, value: number(health.schema) },
        ...(log && behind !== undefined && dead !== undefined
          ? [
              { label: figures.events, value: number(log.last_seq) },
              { label: figures.behind, value: number(behind), note: figures.behindNote },
              { label: figures.dead, value: number(dead), note: figures.deadNote },
            ]
          : []),
      ]}
    />
  );
}

const columnsOf = (lastSeq: number): Column<LogConsumer>[] => [
  {
    id: 'name',
    head: texts.columns.name,
    phone: 'name',
    cell: ({ consumer }) => <span className="mono">{consumer}</span>,
  },
  { id: 'at', head: texts.columns.at, width: 120, end: true, phone: 'hide', cell: ({ seq }) => number(seq) },
  {
    id: 'behind',
    head: texts.columns.behind,
    width: 110,
    end: true,
    phone: 'time',
    cell: ({ seq }) => (seq >= lastSeq ? <span className="third">{texts.upToDate}</span> : number(lastSeq - seq)),
  },
  {
    id: 'attempts',
    head: texts.columns.attempts,
    width: 130,
    end: true,
    phone: 'hide',
    cell: ({ attempts }) => <span className={attempts > 0 ? 'warn' : 'third'}>{number(attempts)}</span>,
  },
  {
    id: 'error',
    head: texts.columns.error,
    phone: 'detail',
    cell: ({ last_error }) => <span className="bad">{last_error}</span>,
  },
  {
    id: 'dead',
    head: texts.columns.dead,
    width: 110,
    end: true,
    phone: 'value',
    isNamed: true,
    cell: ({ dead_letters_total: n }) =>
      n === 0 ? <span className="third">0</span> : <Tag tone="bad">{number(n)}</Tag>,
  },
];

function DeadLetters({ state, onClose }: { state: LogConsumer; onClose: () => void }) {
  const { consumer, dead_letters, dead_letters_total: total } = state;
  const [isDropping, setDropping] = useState(false);
  const retry = useAction('consumers.retry', {
    changes: ['consumers.list'],
    onDone: ({ retried }) => showToast(texts.dead.retriedToast(retried)),
  });
  const drop = useAction('consumers.drop', {
    changes: ['consumers.list'],
    onDone: ({ dropped }) => {
      setDropping(false);
      showToast(texts.dead.droppedToast(dropped));
    },
  });
  return (
    <>
      <DetailHead title={<span className="mono">{consumer}</span>} onClose={onClose} />
      {total === 0 ? (
        <p className={`third ${styles.note}`}>{texts.dead.none}</p>
      ) : (
        <>
          <div className={styles.foot}>
            <Button busy={retry.isPending} onClick={() => retry.mutate({ consumer })}>
              {texts.dead.retryAll}
            </Button>
            <Button kind="danger" onClick={() => setDropping(true)}>
              {texts.dead.dropAll}
            </Button>
            {total > dead_letters.length && (
              <span className="third small">{texts.dead.shown(dead_letters.length, total)}</span>
            )}
          </div>
          {retry.isError && (
            <p className={`bad ${styles.note}`} role="alert">
              {problemOf(retry.error).detail}
            </p>
          )}
          <Table
            label={texts.dead.title(consumer)}
            rows={dead_letters}
            keyOf={({ seq }) => seq}
            columns={[
              { id: 'seq', head: texts.dead.columns.seq, width: 84, phone: 'name', cell: ({ seq }) => number(seq) },
              {
                id: 'error',
                head: texts.dead.columns.error,
                phone: 'detail',
                cell: ({ error }) => <span title={error}>{error}</span>,
              },
              {
                id: 'failed',
                head: texts.dead.columns.failed,
                width: 120,
                end: true,
                phone: 'time',
                cell: ({ failed_at, is_retried }) => (
                  <span className="third small">{is_retried ? texts.dead.retried : fullTimeOf(failed_at)}</span>
                ),
              },
            ]}
          />
        </>
      )}
      {isDropping && (
        <TypedConfirmation
          title={texts.dead.dropTitle(consumer)}
          expected={consumer}
          action={texts.dead.dropAll}
          busy={drop.isPending}
          error={drop.isError ? problemOf(drop.error).detail : undefined}
          onConfirm={() => drop.mutate({ consumer })}
          onClose={() => setDropping(false)}
        >
          <p className="second">{texts.dead.dropHint}</p>
        </TypedConfirmation>
      )}
    </>
  );
}
