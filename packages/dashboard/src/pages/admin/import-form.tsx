import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client, type Output } from '../../data/client.ts';
import { useAction } from '../../data/query.ts';
import { transferTexts } from '../../texts/transfer.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { ErrorState, Progress } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.tsx';
import styles from './admin.module.css';
import { type ImportProgress, importFile } from './import-file.ts';

const texts = transferTexts.import;

type ImportRun =
  | { state: 'running'; progress: ImportProgress; isCheck: boolean }
  | { state: 'done'; words: string }
  | { state: 'stopped' }
  | { state: 'failed'; error: unknown };

/** Takes the file of an export, with its progress and a way to stop. */
export function ImportForm({ status }: { status: Output<'transfer.status'> }) {
  const [file, setFile] = useState<File>();
  const [wantsCheck, setWantsCheck] = useState(false);
  const isCheck = wantsCheck || !status.is_empty;
  const { run, start, stop } = useImport();
  const discard = useAction('transfer.discard', {
    changes: ['transfer.status'],
    onDone: () => showToast(texts.discarded),
  });
  return (
    <form
      className={styles.prose}
      onSubmit={(event) => {
        event.preventDefault();
        if (file) void start(file, isCheck);
      }}
    >
      <p className="second">{texts.hint}</p>
      {!status.is_empty && <p className="warn">{texts.notEmpty}</p>}
      {status.received > 0 && run?.state !== 'running' && (
        <div className="line">
          <span className="warn">{texts.waiting(status.received)}</span>
          <Button busy={discard.isPending} onClick={() => discard.mutate({})}>
            {texts.discard}
          </Button>
        </div>
      )}
      <Field label={texts.file}>
        {({ id }) => (
          <input
            id={id}
            type="file"
            className={styles.file}
            accept=".jsonl,.ndjson,application/x-ndjson"
            disabled={run?.state === 'running'}
            onChange={({ target }) => setFile(target.files?.[0])}
          />
        )}
      </Field>
      {status.is_empty && (
        <label className={styles.check} title={texts.checkHint}>
          <input type="checkbox" checked={wantsCheck} onChange={({ target }) => setWantsCheck(target.checked)} />
          {texts.check}
        </label>
      )}
      {run?.state === 'running' ? (
        <RunProgress {...run} onCancel={stop} />
      ) : (
        <Button kind={isCheck ? 'plain' : 'ink'} submit disabled={!file || (!isCheck && status.received > 0)}>
          {isCheck ? texts.startCheck : texts.start}
        </Button>
      )}
      {run?.state === 'done' && (
        <p role="status" className="good">
          {run.words}
        </p>
      )}
      {run?.state === 'stopped' && <p role="status">{texts.cancelled}</p>}
      {run?.state === 'failed' && <ErrorState error={run.error} isAction />}
    </form>
  );
}

type RunProgressProps = { progress: ImportProgress; isCheck: boolean; onCancel: () => void };

function RunProgress({ progress: { lines, total, isFinishing }, isCheck, onCancel }: RunProgressProps) {
  // The last step is one transaction, which ends by itself.
  if (isFinishing) return <Progress label={texts.finishing} />;
  const words = isCheck ? texts.checked(lines, total) : texts.progress(lines, total);
  return <Progress label={words} done={lines} total={total} onCancel={onCancel} />;
}

function useImport() {
  const queries = useQueryClient();
  const [run, setRun] = useState<ImportRun>();
  const stopping = useRef<AbortController>(undefined);
  const start = async (file: File, isCheck: boolean) => {
    const stop = new AbortController();
    stopping.current = stop;
    const { signal } = stop;
    const onProgress = (progress: ImportProgress) => setRun({ state: 'running', progress, isCheck });
    onProgress({ lines: 0, total: undefined, isFinishing: false });
    try {
      const { lines, finished } = await importFile(file, { isCheck, signal, onProgress });
      setRun({ state: 'done', words: finished ? texts.done(lines, finished.seq) : texts.checkedDone(lines) });
      // Everything that is shown anywhere may be another now.
      if (finished) await queries.invalidateQueries();
    } catch (error) {
      // What was handed over would be in the way of the next try.
      if (!isCheck)
        await client()
          .call('transfer.discard', {})
          .catch(() => {});
      setRun(signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
      await queries.invalidateQueries({ queryKey: ['transfer.status'] });
    }
  };
  return { run, start, stop: () => stopping.current?.abort() };
}
