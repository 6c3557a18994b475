import type { ReactNode } from 'react';
import { confidence as confidenceText } from '../texts/format.ts';
import { ui } from '../texts/ui.ts';
import { classes } from './classes.ts';
import styles from './data.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'mute';
export type EvidenceStatus = keyof typeof ui.statuses;

const TAGS: Record<Tone, string | undefined> = {
  good: styles.tagGood,
  bad: styles.tagBad,
  warn: styles.tagWarn,
  mute: undefined,
};

export function Tag({ tone = 'mute', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={classes(styles.tag, TAGS[tone])}>{children}</span>;
}

/** What outcomes say of an entry: a shape and a word; the shape alone where there is little room. */
export function Status({ status, wordless = false }: { status: EvidenceStatus; wordless?: boolean }) {
  const word = ui.statuses[status];
  return (
    <span className={classes(styles.status, STATUS_TONES[status])} title={wordless ? word : undefined}>
      <svg
        viewBox="0 0 12 12"
        width="12"
        height="12"
        role={wordless ? 'img' : undefined}
        aria-hidden={wordless ? undefined : true}
        aria-label={wordless ? word : undefined}
      >
        {STATUS_SHAPES[status]}
      </svg>
      {!wordless && word}
    </span>
  );
}

const STATUS_TONES: Record<EvidenceStatus, string> = {
  untested: 'third',
  validated: 'good',
  contested: 'warn',
  discredited: 'bad',
};

const STATUS_SHAPES: Record<EvidenceStatus, ReactNode> = {
  untested: (
    <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.4" strokeDasharray="2 1.6" />
  ),
  validated: (
    <>
      <circle cx="6" cy="6" r="5.5" fill="currentColor" />
      <path d="M3.500 6.200l1.800 1.800 3.200-3.800" fill="none" stroke="var(--bg)" strokeWidth="1.3" />
    </>
  ),
  contested: (
    <>
      <circle cx="6" cy="6" r="4.8" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <path d="M6 1.200a4.800 4.800 0 0 0 0 9.600z" fill="currentColor" />
    </>
  ),
  discredited: (
    <>
      <circle cx="6" cy="6" r="5.5" fill="currentColor" />
      <path d="M4 4l4 4M8 4L4 8" stroke="var(--bg)" strokeWidth="1.3" />
    </>
  ),
};

const WIDTH = 48;

/** Confidence as everywhere: track, number, a tick where it stood before, the part that moved green or red. */
export function Confidence({ value, before }: { value: number; before?: number | null | undefined }) {
  const was = before === null ? undefined : before;
  const moved = was !== undefined && Math.abs(was - value) >= 0.005;
  const low = moved ? Math.min(value, was) : value;
  const text = confidenceText(value);
  return (
    <span className={styles.confidence}>
      <svg
        viewBox={`0 0 ${WIDTH} 10`}
        width={WIDTH}
        height="10"
        role="img"
        aria-label={ui.confidence(text, moved ? confidenceText(was) : undefined)}
      >
        <rect className={styles.track} y="3" width={WIDTH} height="4" rx="1" />
        <rect className={styles.fill} y="3" width={low * WIDTH} height="4" rx="1" />
        {moved && (
          <>
            <rect
              className={value > was ? styles.up : styles.down}
              x={low * WIDTH}
              y="3"
              width={Math.abs(was - value) * WIDTH}
              height="4"
            />
            <rect className={styles.was} x={Math.min(was * WIDTH, WIDTH - 1)} y="0" width="1" height="10" />
          </>
        )}
      </svg>
      <span aria-hidden="true">{text}</span>
    </span>
  );
}

type DeltaProps = {
  before: number | null;
  after: number;
  /** It holds no longer: in grey. */
  isPast?: boolean;
};

/** 0.80 → 0.62, the second number green or red where the two do not look the same. */
export function Delta({ before, after, isPast = false }: DeltaProps) {
  const isSame = before === null || confidenceText(before) === confidenceText(after);
  const tone = isPast ? 'third' : isSame ? '' : after > before ? 'good' : 'bad';
  return (
    <span className={styles.delta}>
      {before !== null && (
        <>
          {confidenceText(before)} <span className="third">→</span>{' '}
        </>
      )}
      <span className={tone}>{confidenceText(after)}</span>
    </span>
  );
}

type EntryNameProps = {
  path: ReactNode;
  name: ReactNode /** Where path and name are not the whole of it. */;
  title?: string;
};

/** An entry by path and key: the path is grey, the key is dark. Without a path, the key alone. */
export function EntryName({ path, name, title = `${path}/${name}` }: EntryNameProps) {
  if (path === '')
    return (
      <span className={styles.entryName} title={title}>
        <span>{name}</span>
      </span>
    );
  return (
    <span className={styles.entryName} title={title}>
      <span className={styles.path}>
        <bdi>{path}</bdi>
      </span>
      <span>
        <span className={styles.path}>/</span>
        {name}
      </span>
    </span>
  );
}

export type FigureProps = {
  label: string;
  value: ReactNode;
  of?: ReactNode;
  note?: ReactNode;
  /** What the figure means, where its name does not say it. */
  hint?: string;
};

/** Figures in a line, each with something to compare it with. */
export function Figures({ figures }: { figures: readonly FigureProps[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(({ label, value, of, note, hint }) => (
        <div key={label}>
          <dt>
            <span className={hint && 'hinted'} title={hint}>
              {label}
            </span>
          </dt>
          <dd className={styles.figureValue}>
            {value} {of !== undefined && <span className={styles.figureOf}>{of}</span>}
          </dd>
          <dd className={styles.figureNote}>{note}</dd>
        </div>
      ))}
    </dl>
  );
}
