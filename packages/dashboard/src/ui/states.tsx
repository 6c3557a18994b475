import { type ReactNode, useEffect, useState } from 'react';
import type { CopiedCall } from '../data/copy-as.ts';
import { problemOf } from '../data/problem.ts';
import { useShownCrumbs } from '../shell/crumbs.ts';
import { missingRights } from '../texts/missing-rights.ts';
import { shell } from '../texts/shell.ts';
import { ui } from '../texts/ui.ts';
import { Button, ButtonLink } from './button.tsx';
import { CopyAs } from './copy-as.tsx';
import styles from './data.module.css';

const PATIENCE_MS = 150;

/** Whether something has lasted for 150 ms: before that, nothing is better than a flash of grey. */
export function usePatience(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isOver;
}

const WIDTHS = ['62%', '84%', '48%', '73%', '56%', '90%'];

/** Grey bars where rows will be. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  const isShown = usePatience();
  return (
    <div className={styles.bars} role="status" aria-label={ui.loading}>
      {isShown &&
        Array.from({ length: rows }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other name.
          <div key={i} className={styles.bar} style={{ width: WIDTHS[i % WIDTHS.length] }} />
        ))}
    </div>
  );
}

type ErrorStateProps = {
  error: unknown;
  onRetry?: () => void;
  call?: CopiedCall;
  /** Something was not done, rather than not shown. */
  isAction?: boolean;
};

/** What failed, and what to do. The rest of the page stays. */
export function ErrorState({ error, onRetry, call, isAction = false }: ErrorStateProps) {
  const { kind, title, detail, words, code, status } = problemOf(error);
  const back = useShownCrumbs()
    .slice(0, -1)
    .findLast(({ href }) => href !== undefined);
  // What is not there comes no sooner by asking again: the list shows what there is.
  const isGone = kind === 'missing' && !isAction && back?.href !== undefined;
  return (
    <div className={styles.message} role="alert">
      <div>
        <div className="strong">{isAction && kind !== 'offline' ? ui.notDone : title}</div>
        <div className="second">
          {detail} {words === undefined && <span className="third">({ui.code(code, status)})</span>}
        </div>
        {words !== undefined && (
          <div className="third small">
            {missingRights.service(words)} ({ui.code(code, status)})
          </div>
        )}
      </div>
      <div className={styles.messageActions}>
        {isGone && <ButtonLink href={back.href}>{shell.backTo(back.label)}</ButtonLink>}
        {onRetry && !isGone && <Button onClick={onRetry}>{ui.tryAgain}</Button>}
        {call && <CopyAs call={call} />}
      </div>
    </div>
  );
}

/** Nothing to show: one sentence, and what fills it. */
export function EmptyState({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={styles.message}>
      <div className="strong">{title}</div>
      {children}
      {actions && <div className={styles.messageActions}>{actions}</div>}
    </div>
  );
}

type Answer<T> = { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };

type LoadedProps<T> = {
  answer: Answer<T>;
  children: (data: T) => ReactNode;
  rows?: number;
  call?: CopiedCall;
};

/** The three states of a question: bars, an error, or the answer. An old answer stays while a new one is asked for. */
export function Loaded<T>({ answer, children, rows = 4, call }: LoadedProps<T>) {
  if (answer.data !== undefined) return children(answer.data);
  if (answer.error)
    return <ErrorState error={answer.error} onRetry={() => void answer.refetch()} {...(call ? { call } : {})} />;
  return <Skeleton rows={rows} />;
}

type ProgressProps = { label: string; done?: number | undefined; total?: number | undefined; onCancel?: () => void };

/** For what takes over a second: a number where there is one, and Cancel. */
export function Progress({ label, done, total, onCancel }: ProgressProps) {
  return (
    <div className={styles.progress} role="status">
      <progress aria-label={label} value={total === undefined ? undefined : done} max={total} />
      <span>{label}</span>
      {onCancel && <Button onClick={onCancel}>{ui.cancel}</Button>}
    </div>
  );
}
