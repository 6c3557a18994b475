import { useState } from 'react';
import type { CopiedCall } from '../../data/copy-as.ts';
import { usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { hrefOf } from '../../router/address.ts';
import { choiceParameter, navigate, textParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { pulls as texts } from '../../texts/pulls.ts';
import { Button } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { Chip, Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from '../branches/branches.module.css';
import { OpenPull } from './open-pull.tsx';
import { type ListedPull, STATE_TONES } from './pull-data.ts';

const STATES = ['open', 'merged', 'closed', 'all'] as const;
type PullsState = (typeof STATES)[number];
const parameters = {
  state: choiceParameter<PullsState>('open', STATES),
  source: textParameter(),
  target: textParameter(),
};
const PAGE = 50;

const columnsAt = (now: number): readonly Column<ListedPull>[] => [
  {
    id: 'title',
    head: texts.columns.title,
    phone: 'name',
    cell: ({ id, title }) => (
      <span className={styles.branch}>
        <Icon name="pull-request" />
        <a className="strong cut" href={hrefOf('pulls', id)} title={title}>
          {title}
        </a>
      </span>
    ),
  },
  {
    id: 'branches',
    head: texts.columns.branches,
    phone: 'detail',
    cell: ({ source_branch, target_branch }) => (
      <span className="mono" title={`${source_branch} ${texts.into} ${target_branch}`}>
        {source_branch} <span className="third">→</span> {target_branch}
      </span>
    ),
  },
  {
    id: 'state',
    head: texts.columns.state,
    width: 96,
    phone: 'value',
    cell: ({ status }) => <Tag tone={STATE_TONES[status]}>{texts.stateOf[status]}</Tag>,
  },
  {
    id: 'by',
    head: texts.columns.by,
    width: 160,
    phone: 'hide',
    cell: ({ created_by }) => <a href={hrefOf('agents', created_by)}>{created_by}</a>,
  },
  {
    id: 'at',
    head: texts.columns.at,
    width: 96,
    phone: 'time',
    cell: ({ updated_at }) => (
      <time className="third" dateTime={updated_at} title={fullTimeOf(updated_at)}>
        {ago(updated_at, now)}
      </time>
    ),
  },
];

export function PullList() {
  const now = useNow();
  useCrumbs([{ label: texts.title }]);
  const [{ state, source, target }, set] = useSearch(parameters);
  const [isOpening, setOpening] = useState(false);
  const input = {
    limit: PAGE,
    ...(state === 'all' ? {} : { status: state }),
    ...(source === '' ? {} : { source_branch: source }),
    ...(target === '' ? {} : { target_branch: target }),
  };
  const call = { name: 'pull_requests.list', input } as const;
  const pages = usePages('pull_requests.list', input);
  const listed = pages.data?.pages.flatMap((page) => page.pull_requests) ?? [];
  useCommands([{ id: 'new-pull', label: texts.newPull, keys: 'n', group: 'page', run: () => setOpening(true) }]);
  return (
    <>
      <div className={styles.title}>
        <h1>{texts.title}</h1>
      </div>
      <div className={styles.bar}>
        <Segmented
          label={texts.state}
          value={state}
          choices={STATES.map((value) => ({ value, label: texts.states[value] }))}
          onChange={(next) => set({ state: next })}
        />
        {source !== '' && (
          <Chip name={texts.create.source} onRemove={() => set({ source: '' })}>
            {source}
          </Chip>
        )}
        {target !== '' && (
          <Chip name={texts.create.target} onRemove={() => set({ target: '' })}>
            {target}
          </Chip>
        )}
        <span className="grow" />
        <CopyAs call={call} />
        <Button kind="ink" onClick={() => setOpening(true)}>
          {texts.newPull}
        </Button>
      </div>
      <Loaded answer={pages} call={call} rows={6}>
        {() =>
          listed.length === 0 ? (
            <NoPull state={state} />
          ) : (
            <Table
              label={texts.title}
              columns={columnsAt(now)}
              rows={listed}
              keyOf={({ id }) => id}
              onOpen={({ id }) => navigate(hrefOf('pulls', id))}
            />
          )
        }
      </Loaded>
      <ShowMore pages={pages} />
      {isOpening && <OpenPull onClose={() => setOpening(false)} />}
    </>
  );
}

const SOURCE = 'experiment/fewer-retries';
/** A branch, something on it, and the request to merge it. */
const EXAMPLE: readonly CopiedCall[] = [
  { name: 'branches.create', input: { name: SOURCE } },
  {
    name: 'entries.write',
    input: { entity_path: 'checkout/payments', key: 'retry-policy', value: 'two attempts', branch: SOURCE },
  },
  { name: 'pull_requests.create', input: { title: 'Fewer retries', source_branch: SOURCE } },
];

function NoPull({ state }: { state: PullsState }) {
  return (
    <div className={styles.empty}>
      <EmptyState title={state === 'all' ? texts.none : texts.noneOf(texts.stateOf[state])}>
        {(state === 'open' || state === 'all') && (
          <>
            <p className="second">{texts.noneHint}</p>
            <CallCode label={texts.newPull} calls={EXAMPLE} />
          </>
        )}
      </EmptyState>
    </div>
  );
}
