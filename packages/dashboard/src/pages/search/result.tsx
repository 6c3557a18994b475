import type { KeyboardEvent, ReactNode } from 'react';
import type { Output } from '../../data/client.ts';
import { hrefOf } from '../../router/address.ts';
import { ago, fullTimeOf } from '../../texts/format.ts';
import { search } from '../../texts/search.ts';
import { Confidence, EntryName, Status } from '../../ui/marks.tsx';
import { marked } from './highlight.ts';
import styles from './search.module.css';

type Found = Output<'entries.search'>['entries'][number];

export type ShownResult = Omit<Found, 'value' | 'score'> & {
  excerpt: string;
  /** Its score as a share of the best one. */
  share: number | undefined;
  isAvoided?: boolean;
  why: (rank: number) => ReactNode;
};

type ResultProps = {
  result: ShownResult;
  rank: number;
  stems: readonly string[];
  branch: string;
  isChosen: boolean;
  isFirstAvoided: boolean;
  onChoose: () => void;
  why: ReactNode;
};

export function Result({ result, rank, stems, branch, isChosen, isFirstAvoided, onChoose, why }: ResultProps) {
  const { entity_path, key, version, memory_type, provenance, excerpt, share } = result;
  const href = hrefOf('memory', entity_path, { key, branch: branch === 'main' ? undefined : branch });
  return (
    <>
      {isFirstAvoided && (
        <li className={styles.avoid}>
          <h2 className="strong">{search.avoid}</h2>
          <span className="third small">{search.avoidHint}</span>
        </li>
      )}
      <li className={styles.result} data-chosen={isChosen || undefined}>
        <a className={styles.resultName} href={href} data-result onKeyDown={moveInResults}>
          <Status status={result.evidence_status} wordless />
          <EntryName
            path={<Marked text={entity_path} stems={stems} />}
            name={<Marked text={key} stems={stems} />}
            title={`${entity_path}/${key}`}
          />
        </a>
        <Confidence value={result.effective_confidence ?? result.confidence} />
        <p className={styles.excerpt}>
          <Marked text={excerpt} stems={stems} />
        </p>
        <div className={`${styles.resultFacts} third small`}>
          <span>{memory_type}</span>
          <span>v{version}</span>
          <a href={hrefOf('agents', provenance.agent_id)}>{provenance.agent_id}</a>
          <time title={fullTimeOf(provenance.written_at)}>{ago(provenance.written_at)}</time>
        </div>
        <button type="button" className={styles.whyButton} aria-pressed={isChosen} onClick={onChoose}>
          <span className="third">{search.why.rank(rank)}</span>
          <svg viewBox="0 0 40 4" width="40" height="4" aria-hidden="true">
            <rect className={styles.track} width="40" height="4" rx="1" />
            <rect className={styles.fill} width={40 * (share ?? 0)} height="4" rx="1" />
          </svg>
          <span>
            {search.why.short}
            <span className="unseen"> {search.why.of(key)}</span>
          </span>
        </button>
        {why && <div className={styles.whyHere}>{why}</div>}
      </li>
    </>
  );
}

/** A text with the words that were asked for. */
export function Marked({ text, stems }: { text: string; stems: readonly string[] }) {
  return marked(text, stems).map((part, i) =>
    part.isHit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name.
      <mark key={i}>{part.text}</mark>
    ) : (
      part.text
    ),
  );
}

function moveInResults(event: KeyboardEvent<HTMLElement>): void {
  const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = [...document.querySelectorAll<HTMLElement>('[data-result]')];
  const next = all[all.indexOf(event.currentTarget) + by];
  event.preventDefault();
  if (next) next.focus();
  else if (by < 0) document.querySelector<HTMLElement>('[data-page-search]')?.focus();
}
