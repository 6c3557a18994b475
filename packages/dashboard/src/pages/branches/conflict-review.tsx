import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { useAction, useOperation, usePages } from '../../data/query.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import { hrefOf } from '../../router/address.ts';
import { numberParameter, useSearch } from '../../router/router.tsx';
import { useCommands } from '../../shell/commands.ts';
import { branches } from '../../texts/branches.ts';
import { dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { classes } from '../../ui/classes.ts';
import { Code } from '../../ui/code.tsx';
import { comparable } from '../../ui/diff.tsx';
import { Confidence, EntryName, Tag } from '../../ui/marks.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ErrorState, Loaded } from '../../ui/states.tsx';
import { BRANCH_ANSWERS, CONFLICT_ANSWERS, CONFLICT_EVENTS } from './branch-data.ts';
import styles from './conflicts.module.css';

const texts = branches.conflicts;
const PAGE = 100;
const parameters = { conflict: numberParameter(-1) };

export type ListedConflict = Output<'conflicts.list'>['conflicts'][number];
type WholeConflict = Output<'conflicts.read'>;
type ConflictSide = NonNullable<WholeConflict['base']>;
type Taken = 'source' | 'target' | 'base';
const SIDES = ['base', 'source', 'target'] as const;

type ConflictReviewProps = { mergeId: string; source: string; target: string };

/** The conflicts of a merge, resolved one by one: as both had it in common, as the source and as the target has it. */
export function ConflictReview({ mergeId, source, target }: ConflictReviewProps) {
  useBranchRefresh(CONFLICT_EVENTS, CONFLICT_ANSWERS);
  const [{ conflict }, set] = useSearch(parameters);
  const input = { merge_id: mergeId, limit: PAGE };
  const pages = usePages('conflicts.list', input);
  const listed = pages.data?.pages.flatMap((page) => page.conflicts) ?? [];
  const hidden = pages.data?.pages.reduce((sum, page) => sum + page.hidden, 0) ?? 0;
  const chosen =
    listed.find(({ no }) => no === conflict) ?? listed.find(({ status }) => status === 'open') ?? listed[0];
  const at = chosen ? listed.indexOf(chosen) : -1;
  const goTo = (index: number) => {
    const next = listed[index];
    if (next) set({ conflict: next.no });
  };
  useCommands([
    { id: 'next-conflict', label: texts.next, keys: ']', group: 'page', run: () => goTo(at + 1) },
    { id: 'previous-conflict', label: texts.previous, keys: '[', group: 'page', run: () => goTo(at - 1) },
  ]);
  const open = listed.filter(({ status }) => status === 'open').length;
  return (
    <Loaded answer={pages} call={{ name: 'conflicts.list', input }}>
      {() =>
        chosen === undefined ? (
          <p className={classes(styles.none, 'third')}>{hidden > 0 ? texts.hidden(hidden) : texts.none}</p>
        ) : (
          <div className={styles.review}>
            <nav className={styles.list} aria-label={texts.list}>
              <div className={classes(styles.count, 'third small')}>
                {open === 0 ? texts.allResolved : texts.openOf(open, listed.length)}
              </div>
              {listed.map((one) => (
                <ConflictLink
                  key={one.no}
                  conflict={one}
                  isChosen={one === chosen}
                  onChoose={() => set({ conflict: one.no })}
                />
              ))}
              <ShowMore pages={pages} />
              {hidden > 0 && <p className={classes(styles.none, 'third small')}>{texts.hidden(hidden)}</p>}
            </nav>
            <OneConflict
              key={chosen.no}
              listed={chosen}
              names={{ source, target }}
              onResolved={() => {
                const next = listed.find(({ no, status }) => status === 'open' && no !== chosen.no);
                set({ conflict: next?.no ?? chosen.no });
              }}
            />
          </div>
        )
      }
    </Loaded>
  );
}

type LinkProps = { conflict: ListedConflict; isChosen: boolean; onChoose: () => void };

function ConflictLink({ conflict: { entity_path, key, reason, status, take }, isChosen, onChoose }: LinkProps) {
  return (
    <button type="button" className={styles.link} aria-current={isChosen || undefined} onClick={onChoose}>
      <EntryName path={entity_path} name={key} />
      <span className="line small">
        <span className="third grow cut">{texts.reasons[reason]}</span>
        <span className={status === 'open' ? 'warn' : 'good'}>
          {status === 'open' || take === null ? texts.open : texts.resolved(take)}
        </span>
      </span>
    </button>
  );
}

type OneConflictProps = {
  listed: ListedConflict;
  names: { source: string; target: string };
  onResolved: () => void;
};

function OneConflict({ listed, names, onResolved }: OneConflictProps) {
  const { merge_id, no } = listed;
  const read = useOperation('conflicts.read', { merge_id, no });
  const resolve = useAction('conflicts.resolve', {
    changes: [...CONFLICT_ANSWERS, ...BRANCH_ANSWERS],
    onDone: onResolved,
  });
  return (
    <div className={styles.conflict}>
      <Loaded answer={read} call={{ name: 'conflicts.read', input: { merge_id, no } }}>
        {(conflict) => (
          <>
            <header className={styles.head}>
              <h3>
                <EntryName path={conflict.entity_path} name={conflict.key} />
              </h3>
              <Tag tone={conflict.status === 'open' ? 'warn' : 'good'}>
                {conflict.status === 'open' || conflict.take === null
                  ? texts.reasons[conflict.reason]
                  : texts.resolved(conflict.take)}
              </Tag>
            </header>
            {conflict.fields.length > 0 && (
              <p className="second small">
                {texts.fields} <span className="mono">{conflict.fields.map((field) => field.slice(1)).join(', ')}</span>
              </p>
            )}
            {conflict.quarantined && <p className="warn">{texts.quarantined}</p>}
            <div className={styles.sides}>
              {SIDES.map((side) => (
                <Side
                  key={side}
                  side={side}
                  title={side === 'base' ? texts.base : texts[side](names[side])}
                  conflict={conflict}
                  isBusy={resolve.isPending}
                  onTake={(take) => resolve.mutate({ merge_id, no, take })}
                />
              ))}
            </div>
            {resolve.error && <ErrorState error={resolve.error} isAction />}
            <OwnValue
              conflict={conflict}
              isBusy={resolve.isPending}
              onTake={(value) => resolve.mutate({ merge_id, no, take: 'value', value: value as never })}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}

type SideProps = {
  side: Taken;
  title: string;
  conflict: WholeConflict;
  isBusy: boolean;
  onTake: (take: Taken) => void;
};

function Side({ side, title, conflict, isBusy, onTake }: SideProps) {
  const state = conflict[side];
  const isTaken = conflict.take === side;
  return (
    <section className={classes(styles.side, isTaken && styles.taken)} aria-label={title}>
      <h4 className="strong cut" title={title}>
        {title}
      </h4>
      {state === null ? <p className="third">{texts.absent}</p> : <SideState title={title} state={state} />}
      <div className={styles.take}>
        <Button {...(isTaken ? { icon: 'check' as const } : {})} disabled={isBusy} onClick={() => onTake(side)}>
          {isTaken ? texts.taken : texts.take[side]}
        </Button>
      </div>
    </section>
  );
}

function SideState({ title, state }: { title: string; state: ConflictSide }) {
  const { agent_id, written_at, version, confidence, trace_id } = state;
  return (
    <>
      <p className="third small">
        <a href={hrefOf('agents', agent_id)}>{agent_id}</a>{' '}
        <time dateTime={written_at} title={fullTimeOf(written_at)}>
          {dayAndTime(written_at)}
        </time>{' '}
        {branches.changed.version(version)}{' '}
        {trace_id !== null && <a href={hrefOf('traces', trace_id)}>{texts.trace}</a>}
      </p>
      {state.deleted ? (
        <p className="bad">{texts.deleted}</p>
      ) : (
        <>
          <Confidence value={confidence} />
          <Code label={title} text={comparable(state.value)} wrap json />
        </>
      )}
    </>
  );
}

type OwnValueProps = { conflict: WholeConflict; isBusy: boolean; onTake: (value: unknown) => void };

function OwnValue({ conflict, isBusy, onTake }: OwnValueProps) {
  const [text, setText] = useState(() =>
    JSON.stringify(conflict.value ?? conflict.source?.value ?? conflict.target?.value ?? null, null, 2),
  );
  const [error, setError] = useState<string>();
  const submit = () => {
    try {
      const value: unknown = JSON.parse(text);
      setError(undefined);
      onTake(value);
    } catch {
      setError(texts.notJson);
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label={texts.own} hint={texts.ownHint} error={error}>
        {(field) => (
          <textarea
            {...field}
            rows={5}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button submit busy={isBusy}>
          {conflict.take === 'value' ? texts.taken : texts.take.value}
        </Button>
      </div>
    </form>
  );
}
