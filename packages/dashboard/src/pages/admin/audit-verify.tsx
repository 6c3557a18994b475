import { useRef, useState } from 'react';
import { client, type Output } from '../../data/client.ts';
import { auditTexts as texts } from '../../texts/admin.ts';
import { Tag } from '../../ui/marks.tsx';
import { ErrorState, Progress } from '../../ui/states.tsx';
import styles from './admin.module.css';

type ChainProblem = Output<'audit.verify'>['problems'][number];
type Check = {
  state: 'running' | 'done' | 'stopped' | 'failed';
  checked: number;
  problems: ChainProblem[];
  error?: unknown;
};

const LINES_A_CALL = 5_000;
const MOST_SHOWN = 100;

/** How far the check of the chain is, or what it found. */
export function AuditCheck({
  chain: { check, start, stop },
  newest,
}: {
  chain: ChainCheck;
  newest: number | undefined;
}) {
  if (!check) return null;
  return (
    <div className={styles.part}>
      {check.state === 'running' && (
        <Progress label={texts.verifying(check.checked, newest)} done={check.checked} total={newest} onCancel={stop} />
      )}
      {check.state === 'failed' && <ErrorState error={check.error} onRetry={() => void start()} isAction />}
      {(check.state === 'done' || check.state === 'stopped') && <Result check={check} />}
      {check.problems.length > 0 && (
        <ul>
          {check.problems.slice(0, MOST_SHOWN).map(({ no, reason }) => (
            <li key={`${no}-${reason}`}>
              <span className="strong">{texts.line(no)}</span> {texts.reasons[reason]}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Result({ check: { state, checked, problems } }: { check: Check }) {
  if (problems.length > 0)
    return (
      <span role="alert">
        <Tag tone="bad">{texts.broken(problems.length, checked)}</Tag>
      </span>
    );
  return (
    <span role="status" className={state === 'done' ? 'good' : 'second'}>
      {state === 'done' ? texts.holds(checked) : texts.stopped(checked)}
    </span>
  );
}

export type ChainCheck = ReturnType<typeof useChainCheck>;

/** Recomputes the chain of hashes, some lines a call. */
export function useChainCheck() {
  const [check, setCheck] = useState<Check>();
  const stopping = useRef<AbortController>(undefined);
  const start = async () => {
    const stop = new AbortController();
    stopping.current = stop;
    const { signal } = stop;
    let checked = 0;
    const problems: ChainProblem[] = [];
    setCheck({ state: 'running', checked, problems });
    try {
      for (let cursor: string | undefined, more = true; more; ) {
        const page = await client().call(
          'audit.verify',
          { limit: LINES_A_CALL, ...(cursor === undefined ? {} : { cursor }) },
          { signal },
        );
        checked += page.total_checked;
        problems.push(...page.problems);
        more = page.has_more && page.next_cursor !== null;
        cursor = page.next_cursor ?? undefined;
        setCheck({ state: more ? 'running' : 'done', checked, problems: [...problems] });
      }
    } catch (error) {
      setCheck({ state: signal.aborted ? 'stopped' : 'failed', checked, problems, error });
    }
  };
  return { check, start, stop: () => stopping.current?.abort() };
}
