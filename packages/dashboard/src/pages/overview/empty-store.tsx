import { useState } from 'react';
import { serviceUrl } from '../../data/client.ts';
import type { CopiedCall } from '../../data/copy-as.ts';
import { useKey } from '../../data/key-store.ts';
import type { useDemo } from '../../demo/use-demo.ts';
import { startTour } from '../../shell/tour-state.ts';
import { overview } from '../../texts/overview.ts';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/choices.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { EmptyState, ErrorState, Progress } from '../../ui/states.tsx';
import styles from './overview.module.css';

const texts = overview.empty;
const WAYS = ['curl', 'claude', 'mcp'] as const;
type Way = (typeof WAYS)[number];

const FIRST_WRITE: CopiedCall = {
  name: 'entries.write',
  input: { entity_path: 'checkout/payments', key: 'retry-policy', value: 'three attempts' },
};

/** Commands that work as they are copied; a key is named, never shown. */
function commandsOf(way: Way, hasKey: boolean): string {
  const url = serviceUrl();
  if (way === 'claude') {
    const key = hasKey ? [' --header "X-MEM-API-Key: $MEM_API_KEY"'] : [];
    return [`claude mcp add --transport http mem ${url}mcp`, ...key].join(' \\\n ');
  }
  if (way === 'mcp') {
    // The client fills it in from its environment.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
    const headers = hasKey ? { headers: { 'X-MEM-API-Key': '${MEM_API_KEY}' } } : {};
    return JSON.stringify({ mcpServers: { mem: { type: 'http', url: `${url}mcp`, ...headers } } }, null, 2);
  }
  const lines = [
    `curl ${url}api/v1/entries`,
    ...(hasKey ? ['-H "X-MEM-API-Key: $MEM_API_KEY"'] : []),
    "-H 'Content-Type: application/json'",
    `-d '{"entity_path": "checkout/payments", "key": "retry-policy", "value": "three attempts"}'`,
  ];
  return lines.join(' \\\n  ');
}

/** What a store without entries shows: how to fill it. */
export function EmptyStore({ demo }: { demo: ReturnType<typeof useDemo> }) {
  const [way, setWay] = useState<Way>('curl');
  const hasKey = useKey() !== '';
  const { progress, error, load, cancel } = demo;
  return (
    <div className={styles.empty}>
      <div className="line">
        <h1 className="grow">{overview.title}</h1>
        <CopyAs call={FIRST_WRITE} />
      </div>
      <EmptyState title={texts.title}>
        <p className="second">{texts.hint}</p>
      </EmptyState>
      <Segmented
        label={texts.way}
        value={way}
        choices={WAYS.map((value) => ({ value, label: texts.ways[value] }))}
        onChange={setWay}
      />
      <Code label={texts.code} text={commandsOf(way, hasKey)} copy />
      <p className="third small">
        {texts.wayHints[way]} {way === 'mcp' && <code>{`mem init --store ${serviceUrl()}`}</code>}{' '}
        {hasKey && texts.keyHint}
      </p>
      {progress ? (
        <Progress
          label={texts.loading(progress.done, progress.total)}
          done={progress.done}
          total={progress.total || undefined}
          onCancel={cancel}
        />
      ) : (
        <div className="line wraps">
          <Button onClick={() => void load().then(startTour)}>{texts.tour}</Button>
          <Button onClick={() => void load()}>{texts.demo}</Button>
          <span className="third">{texts.demoHint}</span>
        </div>
      )}
      {error !== undefined && <ErrorState error={error} onRetry={() => void load()} isAction />}
    </div>
  );
}
