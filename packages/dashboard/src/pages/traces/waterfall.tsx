import { useEffect, useMemo, useRef } from 'react';
import { duration, money, number } from '../../texts/format.ts';
import { traces } from '../../texts/traces.ts';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/marks.tsx';
import { Cell, RowList, type RowListHandle } from '../../ui/row-list.tsx';
import { useMedia } from '../../ui/use-media.ts';
import type { TraceStep, TraceSteps } from './steps.ts';
import { ticksOf } from './ticks.ts';
import { outcomeTone, STEP_COLOURS } from './tones.ts';
import { titleOf } from './trace-row.tsx';
import { staleOf, type TraceData } from './use-trace.ts';
import styles from './waterfall.module.css';

const texts = traces.one;
/** Up to here all rows are shown at once; a longer trace scrolls within its pane. */
const MOST_ROWS = 200;
const LONG_PX = 640;

type StepRow = { step: TraceStep; level: number; isOpen: boolean | undefined };

type WaterfallProps = {
  data: TraceData;
  steps: TraceSteps;
  folded: ReadonlySet<string>;
  selected: string;
  isTree: boolean;
  isPhone: boolean;
  onSelect: (id: string) => void;
  onFold: (id: string, isOpen: boolean) => void;
};

/** The steps of a trace over time, or as a tree. Spans without a time are in the tree only. */
export function Waterfall({ data, steps, folded, selected, isTree, isPhone, onSelect, onFold }: WaterfallProps) {
  const list = useRef<RowListHandle>(null);
  const isCoarse = useMedia('(pointer: coarse)');
  const rowPx = isPhone ? (isCoarse ? 44 : 36) : 28;
  const rows = useMemo(() => openRows(steps.root, { folded, isTree }), [steps, folded, isTree]);
  const at = rows.findIndex(({ step }) => step.id === selected);
  useEffect(() => {
    if (at >= 0) list.current?.reveal(at);
  }, [at]);
  const onKey = (key: string, index: number) => {
    const row = rows[index];
    if (!row) return false;
    if (key === 'ArrowRight' && row.isOpen === false) onFold(row.step.id, true);
    else if (key === 'ArrowLeft' && row.isOpen) onFold(row.step.id, false);
    else return false;
    return true;
  };
  const height = rows.length > MOST_ROWS ? LONG_PX : rows.length * rowPx;
  return (
    <div className={classes(styles.waterfall, isTree && styles.isTree)}>
      <Axis steps={steps} isTree={isTree} />
      <div className={styles.list} style={{ height }}>
        {!isTree && <Ticks steps={steps} />}
        <RowList
          plain
          label={texts.label(titleOf(data.trace))}
          count={rows.length}
          rowPx={rowPx}
          selected={at < 0 ? undefined : at}
          handle={list}
          levelOf={(index) => ({ level: rows[index]?.level ?? 0, isOpen: rows[index]?.isOpen })}
          onOpen={(index) => onSelect(rows[index]?.step.id ?? '')}
          onKey={onKey}
          row={(index) => {
            const row = rows[index];
            return row && <StepLine {...{ row, data, steps, isTree, isPhone, onFold }} />;
          }}
        />
      </div>
      {!isTree && steps.untimed > 0 && <p className={styles.note}>{texts.untimed(steps.untimed)}</p>}
    </div>
  );
}

function openRows(root: TraceStep, view: { folded: ReadonlySet<string>; isTree: boolean }): StepRow[] {
  const rows: StepRow[] = [];
  const add = (step: TraceStep, level: number) => {
    if (step.at === undefined && !view.isTree) return;
    const isOpen = step.below.length === 0 ? undefined : !view.folded.has(step.id);
    rows.push({ step, level, isOpen });
    if (isOpen) for (const below of step.below) add(below, level + 1);
  };
  add(root, 0);
  return rows;
}

function Axis({ steps, isTree }: { steps: TraceSteps; isTree: boolean }) {
  return (
    <div className={classes(styles.row, styles.axis)}>
      <span className="third small">{texts.steps(steps.count)}</span>
      <span className={styles.lane}>
        {!isTree &&
          ticksOf(steps.to - steps.from).map(({ share, label }) => (
            <span key={label} className={styles.tickLabel} style={{ left: `${share * 100}%` }}>
              {label}
            </span>
          ))}
      </span>
      <span className={classes(styles.number, 'third small')}>{texts.tokens}</span>
      <span className={classes(styles.number, styles.cost, 'third small')}>{texts.cost}</span>
    </div>
  );
}

function Ticks({ steps }: { steps: TraceSteps }) {
  return (
    <div className={classes(styles.row, styles.ticks)} aria-hidden="true">
      <span />
      <span className={styles.lane}>
        {ticksOf(steps.to - steps.from).map(({ share, label }) => (
          <span key={label} className={styles.tick} style={{ left: `${share * 100}%` }} />
        ))}
      </span>
    </div>
  );
}

type LineProps = {
  row: StepRow;
  data: TraceData;
  steps: TraceSteps;
  isTree: boolean;
  isPhone: boolean;
  onFold: (id: string, isOpen: boolean) => void;
};

function StepLine({ row: { step, level, isOpen }, data, steps, isTree, isPhone, onFold }: LineProps) {
  const { kind } = step.of;
  const isGroup = kind === 'root' || kind === 'attempt';
  return (
    <div
      className={classes(styles.row, isGroup && styles.group, kind === 'attempt' && styles.attempt)}
      role="presentation"
    >
      <Cell className={styles.label} style={{ paddingLeft: level * (isPhone ? 8 : 14) }}>
        {isOpen === undefined ? (
          <span className={styles.dot} style={{ background: `var(${colourOf(step, data)})` }} />
        ) : (
          <Fold isOpen={isOpen} onFold={() => onFold(step.id, !isOpen)} />
        )}
        <StepName step={step} data={data} isBare={isTree && !isPhone} />
      </Cell>
      <Cell className={styles.lane}>
        {isTree ? <span className="third small cut">{step.note}</span> : <Bar {...{ step, steps, data, isPhone }} />}
      </Cell>
      <Cell className={classes(styles.number, 'second small')}>
        {step.tokens === undefined ? step.result : number(step.tokens)}
      </Cell>
      <Cell className={classes(styles.number, styles.cost, 'third small')}>
        {typeof step.cost === 'number' && money(step.cost)}
      </Cell>
    </div>
  );
}

function Fold({ isOpen, onFold }: { isOpen: boolean; onFold: () => void }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys fold; this is for the pointer.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <span
      className={styles.fold}
      onClick={(event) => {
        event.stopPropagation();
        onFold();
      }}
    >
      <Icon name={isOpen ? 'down' : 'right'} />
    </span>
  );
}

const colourOf = ({ of, isFailed }: TraceStep, { trace }: TraceData): string => {
  if (of.kind === 'outcome') return outcomeTone(trace.outcome_type) === 'bad' ? '--s-error' : '--s-outcome';
  return isFailed && of.kind !== 'attempt' ? '--s-error' : STEP_COLOURS[of.kind];
};

/** `isBare`: its note stands in a column of its own. */
function StepName({ step, data, isBare }: { step: TraceStep; data: TraceData; isBare: boolean }) {
  const { of, name, note } = step;
  if (of.kind === 'read')
    return (
      <>
        <span className="mono cut" title={name}>
          <span className="third">{of.read.entity_path}/</span>
          {of.read.key}
        </span>
        {staleOf(data, of.read) && <Tag tone="warn">{texts.stale}</Tag>}
      </>
    );
  const isQuery = of.kind === 'query';
  return (
    <>
      <span className={classes('cut', isQuery && 'mono')} title={`${name} ${note}`.trim()}>
        {name} {note !== '' && !isBare && <span className="third">{isQuery ? `“${note}”` : note}</span>}
      </span>
      {of.kind === 'attempt' && of.attempt && (
        <Tag tone={outcomeTone(of.attempt.outcome_type)}>{of.attempt.outcome_type}</Tag>
      )}
      {step.isFailed && of.kind !== 'attempt' && of.kind !== 'error' && <Tag tone="bad">{texts.failed}</Tag>}
    </>
  );
}

/** From here on there is no room to the right of a bar. */
const LABEL_LEFT = 0.8;

type BarProps = { step: TraceStep; steps: TraceSteps; data: TraceData; isPhone: boolean };

function Bar({ step, steps, data, isPhone }: BarProps) {
  if (step.at === undefined) return null;
  const all = Math.max(1, steps.to - steps.from);
  const from = Math.min(1, Math.max(0, (step.at - steps.from) / all));
  const share = Math.min(1 - from, (step.ms ?? 0) / all);
  const isGroup = step.of.kind === 'root' || step.of.kind === 'attempt';
  const isLeft = from + share > LABEL_LEFT;
  const place = isLeft ? { right: `${(1 - from) * 100}%` } : { left: `${(from + share) * 100}%` };
  return (
    <>
      <span
        className={classes(styles.bar, isGroup && styles.thin)}
        style={{
          left: `min(${from * 100}%, calc(100% - 3px))`,
          width: `${share * 100}%`,
          background: `var(${colourOf(step, data)})`,
        }}
      />
      {step.ms !== undefined && !(step.of.kind === 'root') && (
        <span className={isPhone ? styles.tookPhone : styles.took} style={isPhone ? undefined : place}>
          {duration(step.ms)}
        </span>
      )}
    </>
  );
}
