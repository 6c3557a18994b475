import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useOperation, usePages } from '../../data/query.ts';
import { useLiveFromNow } from '../../data/use-live.ts';
import { useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { search } from '../../texts/search.ts';
import { Segmented } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { FilterBar, type FilterField } from '../../ui/filter-bar.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { MeaningResults, WordResults } from './results.tsx';
import styles from './search.module.css';
import { FILTERS, meaningInput, parameters, wordsInput } from './search-address.ts';

const WAIT_MS = 180;
const ORDERS = ['', 'confidence', 'recency', 'version'] as const;

/** Finds entries as somebody types: by their words, or by what they mean. */
export function SearchPage() {
  useCrumbs([{ label: search.title }]);
  const [values, set] = useSearch(parameters);
  const isMeaning = values.by === 'meaning';
  const call = isMeaning
    ? { name: 'entries.retrieve' as const, input: meaningInput(values) as Record<string, unknown> }
    : { name: 'entries.search' as const, input: wordsInput(values) as Record<string, unknown> };
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.headLine}>
          <h1 className="unseen">{search.title}</h1>
          <QueryField key={values.by} value={values.q} isMeaning={isMeaning} onChange={(q) => set({ q, hit: '' })} />
          <Segmented
            label={search.by}
            value={isMeaning ? 'meaning' : 'words'}
            choices={[
              { value: 'words', label: search.byWords },
              { value: 'meaning', label: search.byMeaning },
            ]}
            onChange={(by) => set({ by, hit: '' })}
          />
          <CopyAs call={call} short />
        </div>
        <SearchFilters values={values} set={set} isMeaning={isMeaning} />
      </header>
      {isMeaning ? <ByMeaning values={values} set={set} /> : <ByWords values={values} set={set} />}
    </div>
  );
}

type Values = ReturnType<typeof useSearch<typeof parameters>>[0];
type SetValues = ReturnType<typeof useSearch<typeof parameters>>[1];
export type SearchProps = { values: Values; set: SetValues };

function ByWords({ values, set }: SearchProps) {
  const input = wordsInput(values);
  const isAsked = values.q.trim() !== '' || FILTERS.some((id) => values[id] !== parameters[id].fallback);
  const answer = usePages('entries.search', input, { enabled: isAsked, keepPrevious: true });
  useFresh('entries.search', values.branch || 'main');
  return <WordResults values={values} set={set} answer={answer} isAsked={isAsked} input={input} />;
}

function ByMeaning({ values, set }: SearchProps) {
  const input = meaningInput(values);
  const isAsked = values.q.trim() !== '';
  // Each question counts its best entry as recalled: it is not asked again by itself.
  const answer = useOperation('entries.retrieve', input, { enabled: isAsked });
  return <MeaningResults values={values} set={set} answer={answer} isAsked={isAsked} input={input} />;
}

const FRESH_MS = 2_000;

/** Asks again after writes, every two seconds at most; the order of what is read changes only if the answer does. */
function useFresh(name: 'entries.search', shown: string): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLiveFromNow((events) => {
    const changes = events.filter(({ branch }) => branch === shown);
    if (!changes.some(({ event_type }) => event_type === 'write' || event_type === 'delete')) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: [name] });
    }, FRESH_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}

type QueryProps = { value: string; isMeaning: boolean; onChange: (query: string) => void };

/** Words are asked for as they are typed; a question is asked with Enter. */
function QueryField({ value, isMeaning, onChange }: QueryProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const send = (text: string) => {
    clearTimeout(timer.current);
    if (text === sent.current) return;
    sent.current = text;
    onChange(text);
  };
  useEffect(() => {
    // The address changed by itself, as by the way back.
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    if (!isMeaning) timer.current = setTimeout(() => send(text), WAIT_MS);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(typed);
  };
  return (
    <form className={styles.query} onSubmit={submit}>
      <Icon name="search" />
      <input
        data-page-search
        type="search"
        aria-label={isMeaning ? search.question : search.words}
        placeholder={isMeaning ? search.questionHint : search.wordsHint}
        autoComplete="off"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the page is for typing.
        autoFocus
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          // Then the keys of the page work.
          if (event.key === 'Escape' && typed === '') event.currentTarget.blur();
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            document.querySelector<HTMLElement>('[data-result]')?.focus();
          }
        }}
      />
      {isMeaning && typed !== value && typed.trim() !== '' && <kbd>{search.enter}</kbd>}
    </form>
  );
}

const FIELDS: readonly FilterField[] = [
  { id: 'path', label: search.filters.path, type: 'text' },
  { id: 'type', label: search.filters.type, type: 'choice', choices: ['fact', 'belief', 'experience', 'procedure'] },
  {
    id: 'min',
    label: search.filters.confidence,
    menu: search.filters.min,
    type: 'number',
    shown: (value) => `≥ ${value}`,
  },
  { id: 'since', label: search.filters.since, type: 'date' },
  { id: 'until', label: search.filters.until, type: 'date' },
];

function SearchFilters({ values, set, isMeaning }: SearchProps & { isMeaning: boolean }) {
  const agents = useOperation('agents.list', { limit: 100 });
  const names = agents.data?.agents.map(({ agent_id }) => agent_id) ?? [];
  const fields = [
    ...FIELDS,
    { id: 'agent', label: search.filters.agent, type: 'text' as const, suggestions: names },
    ...(values.branch === 'main' ? [] : [{ id: 'branch', label: search.filters.branch, type: 'text' as const }]),
  ];
  const order = ORDERS.find((id) => id === values.sort) ?? '';
  const orders = ORDERS.map((id) => ({
    id: id === '' ? 'relevance' : id,
    label: search.orders[id === '' ? 'relevance' : id],
    onSelect: () => set({ sort: id }),
  }));
  return (
    <FilterBar
      fields={fields}
      values={values}
      onChange={(id, value) => set({ [id]: id === 'branch' && value === '' ? 'main' : value, hit: '' })}
      onClear={() => set({ path: '', agent: '', type: '', min: '', since: '', until: '', branch: 'main', hit: '' })}
    >
      {!isMeaning && (
        <Menu
          label={`${search.order}: ${search.orders[order === '' ? 'relevance' : order]}`}
          kind="quiet"
          items={orders}
        >
          {search.orders[order === '' ? 'relevance' : order]}
        </Menu>
      )}
    </FilterBar>
  );
}
