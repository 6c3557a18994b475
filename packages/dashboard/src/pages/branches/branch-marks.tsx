import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { branches as texts } from '../../texts/branches.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { Tag, type Tone } from '../../ui/marks.tsx';
import type { BranchLine, BranchWithCounts } from './branch-data.ts';
import styles from './branches.module.css';

const TONES: Record<BranchLine['status'], Tone> = { active: 'good', merged: 'mute', closed: 'bad' };

export function BranchState({ branch: { status, is_protected } }: { branch: BranchLine }) {
  return (
    <span className={styles.tags}>
      <Tag tone={TONES[status]}>{texts.statusOf[status]}</Tag>
      {is_protected && <Tag tone="warn">{texts.protected}</Tag>}
    </span>
  );
}

const HALF = 44;

/** How far a branch and its parent have moved since the fork: bars that grow from the middle, and both numbers. */
export function Moved({ branch: { ahead, behind, is_counted } }: { branch: BranchWithCounts }) {
  const most = Math.max(ahead, behind, 1);
  const width = (n: number) => (n === 0 ? 0 : Math.max(3, (n / most) * HALF));
  const words = texts.aheadAndBehind(texts.ahead(ahead), texts.behind(behind));
  const label = is_counted ? words : texts.atLeast(words);
  const more = is_counted ? '' : '+';
  return (
    <span className={styles.moved} title={label}>
      <span aria-hidden="true" className={styles.movedNumber}>
        {behind}
        {more}
      </span>
      <svg viewBox={`0 0 ${HALF * 2 + 1} 12`} width={HALF * 2 + 1} height="12" role="img" aria-label={label}>
        <rect className={styles.behind} x={HALF - width(behind)} y="4" width={width(behind)} height="4" rx="1" />
        <rect className={styles.middle} x={HALF} y="0" width="1" height="12" />
        <rect className={styles.ahead} x={HALF + 1} y="4" width={width(ahead)} height="4" rx="1" />
      </svg>
      <span aria-hidden="true">
        {ahead}
        {more}
      </span>
    </span>
  );
}

export function MovedOf({ name }: { name: string }) {
  const read = useOperation('branches.read', { name });
  return read.data ? <Moved branch={read.data} /> : null;
}

/** The last thing that was written to the branch itself. */
export function LastWrite({ name, now }: { name: string; now: number }) {
  const listed = useOperation('entries.list', { branch: name, sort: 'recent', fields: 'meta', limit: 1 });
  const last = listed.data?.entries[0];
  if (!listed.data) return null;
  if (!last || last.branch !== name) return <span className="third">{texts.noWrite}</span>;
  const { agent_id, written_at } = last.provenance;
  return (
    <span>
      <a href={hrefOf('agents', agent_id)}>{agent_id}</a>{' '}
      <time className="third" dateTime={written_at} title={fullTimeOf(written_at)}>
        {ago(written_at, now)}
      </time>
    </span>
  );
}
