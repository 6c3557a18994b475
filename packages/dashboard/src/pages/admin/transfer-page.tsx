import { useRef, useState } from 'react';
import { useOperation } from '../../data/query.ts';
import { bytes } from '../../texts/format.ts';
import { pageTitles } from '../../texts/pages.ts';
import { transferTexts } from '../../texts/transfer.ts';
import { Button } from '../../ui/button.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Section } from '../../ui/section.tsx';
import { ErrorState, Loaded, Progress } from '../../ui/states.tsx';
import styles from './admin.module.css';
import { type DownloadProgress, readExport, saveFile } from './export-file.ts';
import { ImportForm } from './import-form.tsx';
import { AdminBar } from './panes.tsx';

const texts = transferTexts.export;
const statusCall = { name: 'transfer.status' as const, input: {} };

/** The whole account as a file, and such a file into an account. */
export function TransferPage() {
  const status = useOperation('transfer.status', {});
  return (
    <>
      <AdminBar title={pageTitles.transfer}>
        <CopyAs call={{ name: 'transfer.export', input: {} }} />
      </AdminBar>
      <Section title={texts.title}>
        <Export />
      </Section>
      <Section title={transferTexts.import.title}>
        <Loaded answer={status} call={statusCall}>
          {(data) => <ImportForm status={data} />}
        </Loaded>
      </Section>
    </>
  );
}

type ExportRun =
  | { state: 'running'; progress: DownloadProgress }
  | { state: 'done'; progress: DownloadProgress }
  | { state: 'stopped' | 'incomplete' }
  | { state: 'failed'; error: unknown };

function Export() {
  const [run, setRun] = useState<ExportRun>();
  const stopping = useRef<AbortController>(undefined);
  const start = async () => {
    const stop = new AbortController();
    stopping.current = stop;
    const { signal } = stop;
    setRun({ state: 'running', progress: { lines: 0, total: 0, bytes: 0 } });
    try {
      const { file, ...progress } = await readExport(signal, (now) => setRun({ state: 'running', progress: now }));
      if (progress.total > 0 && progress.lines !== progress.total) return setRun({ state: 'incomplete' });
      saveFile(file, texts.file(new Date().toISOString().slice(0, 10)));
      setRun({ state: 'done', progress });
    } catch (error) {
      setRun(signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
    }
  };
  return (
    <div className={styles.prose}>
      <p className="second">{texts.hint}</p>
      {run?.state === 'running' ? (
        <Progress
          label={
            run.progress.lines === 0
              ? texts.preparing
              : texts.progress(run.progress.lines, run.progress.total, bytes(run.progress.bytes))
          }
          done={run.progress.lines}
          total={run.progress.total === 0 ? undefined : run.progress.total}
          onCancel={() => stopping.current?.abort()}
        />
      ) : (
        <Button icon="export" onClick={() => void start()}>
          {texts.start}
        </Button>
      )}
      {run?.state === 'done' && (
        <p role="status" className="good">
          {texts.done(run.progress.lines, bytes(run.progress.bytes))}
        </p>
      )}
      {run?.state === 'stopped' && <p role="status">{texts.stopped}</p>}
      {run?.state === 'incomplete' && (
        <p role="alert" className="bad">
          {texts.incomplete}
        </p>
      )}
      {run?.state === 'failed' && (
        <ErrorState
          error={run.error}
          onRetry={() => void start()}
          call={{ name: 'transfer.export', input: {} }}
          isAction
        />
      )}
    </div>
  );
}
