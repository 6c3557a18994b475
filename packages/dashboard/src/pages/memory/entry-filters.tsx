import { useOperation } from '../../data/query.ts';
import { memory } from '../../texts/memory.ts';
import { ui } from '../../texts/ui.ts';
import { FilterBar, type FilterField } from '../../ui/filter-bar.tsx';
import { Menu } from '../../ui/menu.tsx';
import styles from './memory.module.css';
import { FILTERS, type MemoryAddress } from './memory-address.ts';

const texts = memory.list;
export const NO_FILTERS = {
  status: '',
  type: '',
  agent: '',
  min: '',
  max: '',
  since: '',
  until: '',
  from: '',
  here: false,
};

const FIELDS: readonly FilterField[] = [
  { id: 'status', label: texts.filters.status, type: 'choice', choices: Object.keys(ui.statuses) },
  { id: 'type', label: texts.filters.type, type: 'choice', choices: ['fact', 'belief', 'experience', 'procedure'] },
  {
    id: 'min',
    label: texts.filters.confidence,
    menu: texts.filters.min,
    type: 'number',
    shown: (value) => `≥ ${value}`,
  },
  {
    id: 'max',
    label: texts.filters.confidence,
    menu: texts.filters.max,
    type: 'number',
    shown: (value) => `≤ ${value}`,
  },
  { id: 'since', label: texts.filters.since, type: 'date' },
  { id: 'until', label: texts.filters.until, type: 'date' },
];
const FROM: FilterField = { id: 'from', label: texts.filters.from, type: 'text' };
const HERE: FilterField = {
  id: 'here',
  label: texts.filters.here,
  type: 'choice',
  choices: ['true'],
  shown: () => texts.filters.hereOnly,
};

/** What the list is limited to, and its order. */
export function EntryFilters({ address }: { address: MemoryAddress }) {
  const { sort, set, listPath } = address;
  const agents = useOperation('agents.list', { limit: 100 });
  const names = agents.data?.agents.map(({ agent_id }) => agent_id) ?? [];
  const fields = [
    ...FIELDS,
    { id: 'agent', label: texts.filters.agent, type: 'text' as const, suggestions: names },
    ...(sort === 'path' ? [FROM] : []),
    ...(listPath === '' ? [] : [HERE]),
  ];
  const values = Object.fromEntries(
    FILTERS.map((id) => [id, id === 'here' ? (address.here ? 'true' : '') : address[id]]),
  );
  const change = (id: string, value: string) => set(id === 'here' ? { here: value === 'true' } : { [id]: value });
  const sorts = (['recent', 'path'] as const).map((id) => ({
    id,
    label: texts.sorts[id],
    onSelect: () => set({ sort: id }),
  }));
  return (
    <div className={styles.filterLine}>
      <FilterBar fields={fields} values={values} onChange={change} onClear={() => set(NO_FILTERS)}>
        <Menu label={`${texts.sort}: ${texts.sorts[sort === 'path' ? 'path' : 'recent']}`} kind="quiet" items={sorts}>
          {texts.sorts[sort === 'path' ? 'path' : 'recent']}
        </Menu>
      </FilterBar>
    </div>
  );
}
