import { useState } from 'react';
import type { Output } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { useAction, useOperation } from '../../data/query.ts';
import { fullTimeOf } from '../../texts/format.ts';
import { pageTitles } from '../../texts/pages.ts';
import { retentionTexts as texts } from '../../texts/usage.ts';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { TypedConfirmation } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './admin.module.css';
import { AdminBar } from './panes.tsx';

type Retention = Output<'retention.read'>;
const call = { name: 'retention.read' as const, input: {} };

/** How long traces are kept. */
export function RetentionPage() {
  const answer = useOperation('retention.read', {});
  return (
    <>
      <AdminBar title={pageTitles.retention}>
        <CopyAs call={call} />
      </AdminBar>
      <div className={styles.part}>
        <Loaded answer={answer} call={call}>
          {(kept) => <RetentionForm key={kept.updated_at} kept={kept} />}
        </Loaded>
      </div>
    </>
  );
}

/** As it is typed; empty is for ever. */
type KeptDraft = { traces: string; payloads: string };
const draftOf = ({ traces_days, payloads_days }: Retention): KeptDraft => ({
  traces: traces_days === null ? '' : String(traces_days),
  payloads: payloads_days === null ? '' : String(payloads_days),
});
const daysOf = (text: string): number | null => (text === '' ? null : Number(text));
const isValid = (text: string): boolean =>
  text === '' || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 36_500);
const isLess = (next: number | null, before: number | null): boolean =>
  next !== null && (before === null || next < before);

function RetentionForm({ kept }: { kept: Retention }) {
  const [draft, setDraft] = useState(() => draftOf(kept));
  const [isAsking, setAsking] = useState(false);
  const back = useAction('retention.set', { changes: ['retention.read'] });
  const set = useAction('retention.set', {
    changes: ['retention.read'],
    onDone: () => {
      setAsking(false);
      const before = { traces_days: kept.traces_days, payloads_days: kept.payloads_days };
      // What is gone does not come back; the setting does.
      showToast(texts.saved, () => back.mutate(before));
    },
  });
  const next = { traces_days: daysOf(draft.traces), payloads_days: daysOf(draft.payloads) };
  const isChanged = next.traces_days !== kept.traces_days || next.payloads_days !== kept.payloads_days;
  const less = [
    isLess(next.traces_days, kept.traces_days) ? texts.tracesAfter(next.traces_days ?? 0) : '',
    isLess(next.payloads_days, kept.payloads_days) ? texts.payloadsAfter(next.payloads_days ?? 0) : '',
  ].filter((words) => words !== '');
  const save = () => set.mutate(next);
  const error = set.isError ? problemOf(set.error).detail : undefined;
  return (
    <>
      <form
        className={styles.prose}
        onSubmit={(event) => {
          event.preventDefault();
          if (less.length > 0) setAsking(true);
          else save();
        }}
      >
        <p className="second">{texts.intro}</p>
        <Days
          label={texts.traces}
          hint={texts.tracesHint}
          value={draft.traces}
          onChange={(traces) => setDraft({ ...draft, traces })}
        />
        <Days
          label={texts.payloads}
          hint={texts.payloadsHint}
          value={draft.payloads}
          onChange={(payloads) => setDraft({ ...draft, payloads })}
        />
        {error !== undefined && (
          <p className="bad" role="alert">
            {error}
          </p>
        )}
        <div className="line">
          <Button
            kind="ink"
            submit
            busy={set.isPending}
            disabled={!isChanged || !isValid(draft.traces) || !isValid(draft.payloads)}
          >
            {texts.save}
          </Button>
          <span className="third small">
            {kept.updated_at === null ? texts.neverSet : texts.updated(fullTimeOf(kept.updated_at))}
          </span>
        </div>
      </form>
      {isAsking && (
        <TypedConfirmation
          title={texts.confirmTitle}
          expected={texts.confirmWord}
          action={texts.save}
          busy={set.isPending}
          error={error}
          onConfirm={save}
          onClose={() => setAsking(false)}
        >
          <p>{texts.confirm(less.join(', '))}</p>
        </TypedConfirmation>
      )}
    </>
  );
}

const KINDS = [
  { value: 'ever', label: texts.forEver },
  { value: 'days', label: texts.after },
] as const;

type DaysProps = { label: string; hint: string; value: string; onChange: (value: string) => void };

/** For ever, or a number of days. */
function Days({ label, hint, value, onChange }: DaysProps) {
  const [isEver, setEver] = useState(value === '');
  const choose = (kind: 'ever' | 'days') => {
    setEver(kind === 'ever');
    onChange(kind === 'ever' ? '' : '90');
  };
  return (
    <div className="stack">
      <div className="strong">{label}</div>
      <div className={styles.choice}>
        <Segmented label={label} value={isEver ? 'ever' : 'days'} choices={KINDS} onChange={choose} />
        {!isEver && (
          <>
            <input
              className={styles.days}
              aria-label={texts.number(label)}
              aria-invalid={!isValid(value) || undefined}
              inputMode="numeric"
              autoComplete="off"
              value={value}
              onChange={({ target }) => onChange(target.value.trim())}
            />
            <span className="second">{texts.days}</span>
          </>
        )}
      </div>
      <p className={isValid(value) ? 'third small' : 'bad small'}>{isValid(value) ? hint : texts.invalid}</p>
    </div>
  );
}
