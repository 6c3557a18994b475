import { type FormEvent, useState } from 'react';
import { problemOf } from '../../data/problem.ts';
import { useOperation } from '../../data/query.ts';
import { navigate } from '../../router/router.tsx';
import { number } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { ui } from '../../texts/ui.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Tree, type TreeRow } from '../../ui/tree.tsx';
import styles from './memory.module.css';
import { type MemoryAddress, onBranch } from './memory-address.ts';
import { type PathSegment, usePathTree } from './use-path-tree.ts';

const texts = memory.tree;
/** No path holds these. */
const MORE = '*more*';
const FAILED = '*failed*';

/** The paths, one level after the other as they are opened. */
export function PathTree({ address }: { address: MemoryAddress }) {
  const { listPath, branch, toPath } = address;
  const { levels, fold, more } = usePathTree(listPath, branch);
  const root = levels.get('');
  const rows = rowsOf('', 0, levels);
  const select = (id: string) => {
    if (id.endsWith(MORE)) more(id.slice(0, -MORE.length));
    else if (id.endsWith(FAILED)) void levels.get(id.slice(0, -FAILED.length))?.refetch();
    else navigate(toPath(id));
  };
  return (
    <section className={styles.tree} aria-label={texts.title}>
      <TreeHead address={address} />
      <div className={styles.scroll}>
        {root?.isPending && (
          <div className={styles.pad}>
            <Skeleton rows={10} />
          </div>
        )}
        {root?.error != null && (
          <div className={styles.pad}>
            <ErrorState error={root.error} onRetry={() => void root.refetch()} />
          </div>
        )}
        {root?.data && rows.length === 0 && <p className={`${styles.pad} third`}>{texts.none}</p>}
        {rows.length > 0 && (
          <Tree label={texts.title} rows={rows} selected={listPath} onSelect={select} onFold={fold} />
        )}
      </div>
    </section>
  );
}

type Levels = ReturnType<typeof usePathTree>['levels'];

function rowsOf(prefix: string, level: number, levels: Levels): TreeRow[] {
  const answer = levels.get(prefix);
  if (!answer?.data) return answer?.error && prefix !== '' ? [failedRow(prefix, level, answer.error)] : [];
  const rows = answer.data.nodes.flatMap((node) => {
    const isOpen = node.hasBelow ? { isOpen: levels.has(node.path) } : {};
    const row: TreeRow = { id: node.path, level, label: node.name, end: countOf(node), ...isOpen };
    return isOpen.isOpen ? [row, ...rowsOf(node.path, level + 1, levels)] : [row];
  });
  if (answer.data.cursor !== undefined)
    rows.push({ id: prefix + MORE, level, label: <span className="link">{texts.more}</span> });
  return rows;
}

/** A level that is missing is no empty one. */
function failedRow(prefix: string, level: number, error: unknown): TreeRow {
  const { title, detail } = problemOf(error);
  const end = <span className="link">{ui.tryAgain}</span>;
  return { id: prefix + FAILED, level, label: <span title={`${title}: ${detail}`}>{title}</span>, end };
}

const countOf = ({ entries, isMore }: PathSegment) => (
  <span title={isMore ? texts.atLeast : undefined}>
    {number(entries)}
    {isMore && '+'}
  </span>
);

/** The head: how many paths there are, and a field that goes to one by its name. */
function TreeHead({ address: { branch, toPath, listPath } }: { address: MemoryAddress }) {
  const stats = useOperation('stats.read', onBranch(branch));
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().replace(/^\/+|\/+$/g, '');
  const near = useOperation(
    'entities.list',
    { from_path: wanted, limit: 8, ...onBranch(branch) },
    { enabled: wanted !== '' && !wanted.includes('*') },
  );
  const found = wanted === '' ? [] : (near.data?.entities ?? []);
  const go = (event: FormEvent) => {
    event.preventDefault();
    if (wanted !== '') navigate(toPath(wanted));
    setTyped('');
  };
  return (
    <>
      <div className={styles.paneHead}>
        <a className="strong" href={toPath('')} aria-current={listPath === '' ? 'true' : undefined}>
          {texts.title}
        </a>
        <span className="third small">{stats.data && number(stats.data.total_entities)}</span>
      </div>
      <form className={styles.goTo} onSubmit={go}>
        <input
          type="text"
          aria-label={texts.goTo}
          placeholder={texts.goTo}
          list="memory-paths"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <datalist id="memory-paths">
          {found.map(({ entity_path, entry_count }) => (
            <option key={entity_path} value={entity_path}>
              {number(entry_count)}
            </option>
          ))}
        </datalist>
      </form>
    </>
  );
}
