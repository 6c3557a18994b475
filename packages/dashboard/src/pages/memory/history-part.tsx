import { useEffect, useRef } from 'react';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { confidence as confidenceText, dayAndTime, fullTimeOf } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { comparable, Diff } from '../../ui/diff.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Section } from '../../ui/section.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { callOf, type PastVersion } from './entry-data.ts';
import type { ShownEntryData } from './entry-pane.tsx';
import type { MemoryAddress } from './memory-address.ts';
import styles from './parts.module.css';
import { GONE, useRemoval } from './use-removal.ts';

const texts = memory.history;
/** So many pages are asked for by an address alone; a person asks for more. */
const MOST_LOOKS = 10;

/** The version that an address names, where there can be one of that number. */
function numberOf(text: string, newest: number): number | undefined {
  const version = Number(text);
  return Number.isInteger(version) && version >= 1 && version <= newest ? version : undefined;
}

/** All versions, and any two of them compared. */
export function HistoryPart({ address, shown }: { address: MemoryAddress; shown: ShownEntryData }) {
  const { versions, newest, entry, count, hasOlder, older, isLoadingOlder } = shown;
  const { restore, isBusy } = useRemoval(entry);
  const to = numberOf(address.new, newest.version) ?? newest.version;
  const from = numberOf(address.old, newest.version) ?? versions.find(({ version }) => version < to)?.version ?? to;
  const [before, after] = [from, to].map((wanted) => versions.find(({ version }) => version === wanted));
  // A version that the address names may be further back than what was asked for so far, but not without end.
  const looked = useRef(0);
  const isMissing = (!before || !after) && hasOlder && !isLoadingOlder;
  useEffect(() => {
    if (isMissing && looked.current++ < MOST_LOOKS) older();
  }, [isMissing, older]);
  const compare = (old: number, next: number) =>
    address.set({ old: String(old), new: next === newest.version ? '' : String(next) });
  return (
    <Section
      title={texts.title}
      note={texts.count(count)}
      bleed
      actions={
        versions.length > 1 && (
          <span className="line">
            <VersionChoice label={texts.from} versions={versions} value={from} onChange={(old) => compare(old, to)} />
            <span className="third" aria-hidden="true">
              →
            </span>
            <VersionChoice label={texts.to} versions={versions} value={to} onChange={(next) => compare(from, next)} />
            {before && !before.deleted && before.version !== newest.version && (
              <Button busy={isBusy} onClick={() => restore(before.version, newest.deleted ? GONE : newest.version)}>
                {texts.restore(before.version)}
              </Button>
            )}
          </span>
        )
      }
    >
      {before && after && before !== after && <Compared before={before} after={after} entry={shown.entry} />}
      <Table
        label={texts.title}
        columns={columns}
        rows={versions}
        keyOf={({ version }) => version}
        selected={to}
        onOpen={({ version }) => compare(Math.max(1, version - 1), version)}
      />
      {hasOlder && (
        <p className={styles.more}>
          <Button kind="quiet" busy={isLoadingOlder} onClick={older}>
            {texts.older(count - versions.length)}
          </Button>
        </p>
      )}
    </Section>
  );
}

type ComparedProps = { before: PastVersion; after: PastVersion; entry: ShownEntryData['entry'] };

function Compared({ before, after, entry }: ComparedProps) {
  const diff = useOperation('entries.diff', {
    ...callOf(entry),
    old_version: before.version,
    new_version: after.version,
  });
  const counts = { add: 0, remove: 0, replace: 0 };
  for (const { operation } of diff.data?.changes ?? []) counts[operation]++;
  const { agent_id, written_at } = after.provenance;
  return (
    <div className={styles.compared}>
      <p className="third small">
        {diff.data && `${texts.changes(counts)} `}
        {texts.changedBy(after.deleted)}{' '}
        <a className="link" href={hrefOf('agents', agent_id)}>
          {agent_id}
        </a>
        , {dayAndTime(written_at)}
        {after.commit_id !== null && ` ${texts.inCommit(after.commit_id)}`}
      </p>
      <Diff
        label={texts.label(before.version, after.version)}
        json={typeof before.value !== 'string' && typeof after.value !== 'string'}
        before={before.deleted ? '' : comparable(before.value)}
        after={after.deleted ? '' : comparable(after.value)}
      />
    </div>
  );
}

type ChoiceProps = {
  label: string;
  versions: readonly PastVersion[];
  value: number;
  onChange: (version: number) => void;
};

function VersionChoice({ label, versions, value, onChange }: ChoiceProps) {
  return (
    <label className={styles.versionChoice}>
      <span className="third">{label}</span>
      <select value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {versions.map(({ version }) => (
          <option key={version} value={version}>
            {memory.story.version(version)}
          </option>
        ))}
      </select>
    </label>
  );
}

const columns: readonly Column<PastVersion>[] = [
  {
    id: 'version',
    head: texts.columns.version,
    width: 92,
    phone: 'name',
    cell: ({ version }) => <span className="strong">{memory.story.version(version)}</span>,
  },
  {
    id: 'agent',
    head: texts.columns.agent,
    phone: 'detail',
    cell: ({ provenance: { agent_id }, deleted, shared, memory_type }) => (
      <>
        <a href={hrefOf('agents', agent_id)}>{agent_id}</a>{' '}
        {deleted ? <Tag tone="bad">{memory.entry.deleted}</Tag> : <span className="third">{memory_type}</span>}{' '}
        {!shared && <span className="third">{memory.list.private}</span>}
      </>
    ),
  },
  {
    id: 'confidence',
    head: texts.columns.claimed,
    width: 84,
    end: true,
    phone: 'value',
    cell: ({ confidence, deleted }) => (deleted ? ui.none : confidenceText(confidence)),
  },
  {
    id: 'time',
    head: texts.columns.time,
    width: 132,
    end: true,
    phone: 'time',
    cell: ({ provenance: { written_at } }) => (
      <time className="third" dateTime={written_at} title={fullTimeOf(written_at)}>
        {dayAndTime(written_at)}
      </time>
    ),
  },
];
