import { memo, useCallback, useMemo } from 'react';
import type { Output, Request } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useOperationRows } from '../../data/use-paged-rows.ts';
import { navigate } from '../../router/router.tsx';
import { ago, fullTimeOf, number } from '../../texts/format.ts';
import { memory } from '../../texts/memory.ts';
import { ui } from '../../texts/ui.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CallCode } from '../../ui/call-code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Confidence, EntryName, Status } from '../../ui/marks.tsx';
import { RowList } from '../../ui/row-list.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { BranchMenu } from './branch-menu.tsx';
import { EntryFilters, NO_FILTERS } from './entry-filters.tsx';
import styles from './memory.module.css';
import { FILTERS, type MemoryAddress, onBranch } from './memory-address.ts';
import { useNews } from './use-news.ts';
import { useCountBelow } from './use-path-tree.ts';

const texts = memory.list;
const ROW_PX = 54;
const PAGE = 100;

export type ListedRow = Output<'entries.list'>['entries'][number];
const entriesOf = (page: Output<'entries.list'>): readonly ListedRow[] => page.entries;

const numberOf = (text: string): number | undefined => {
  const n = Number(text);
  return text !== '' && n >= 0 && n <= 1 ? n : undefined;
};

/** The question that the address asks. */
export function listInput(address: MemoryAddress): Request<'entries.list'> {
  const { listPath, branch, sort, status, type, agent, min, max, since, until, from, here } = address;
  const order = sort === 'path' ? 'path' : 'recent';
  const [least, most] = [numberOf(min), numberOf(max)];
  return {
    ...(listPath === '' ? {} : { entity_path: listPath, ...(here ? {} : { include_descendants: true }) }),
    ...onBranch(branch),
    ...(status === '' ? {} : { evidence_status: status as NonNullable<ListedRow['evidence_status']> }),
    ...(type === '' ? {} : { memory_type: type as ListedRow['memory_type'] }),
    ...(agent === '' ? {} : { agent_id: agent }),
    ...(least === undefined ? {} : { min_confidence: least }),
    ...(most === undefined ? {} : { max_confidence: most }),
    ...(since === '' ? {} : { since }),
    ...(until === '' ? {} : { until }),
    ...(from === '' || order !== 'path' ? {} : { from_path: from }),
    sort: order,
    fields: 'meta',
    limit: PAGE,
  };
}

/** The entries at a path and below it. */
export function EntryList({ address }: { address: MemoryAddress }) {
  const { listPath, entry } = address;
  const input = useMemo(() => listInput(address), [address]);
  const rows = useOperationRows('entries.list', input, entriesOf);
  const refresh = useCallback(() => rows.refresh(), [rows]);
  const news = useNews({ listPath, branch: address.branch }, refresh);
  const onRange = useCallback(
    (first: number, last: number) => {
      news.setTop(first === 0);
      rows.show(first, last);
    },
    [news.setTop, rows],
  );
  const open = (index: number) => {
    const row = rows.rowAt(index);
    if (row) navigate(address.toEntry(row.entity_path, row.key));
  };
  const selected = entry ? selectedIn(rows, entry) : undefined;
  const isEmpty = !rows.isPending && !rows.hasMore && rows.count === 0;
  const now = useNow();
  return (
    <section className={styles.list} aria-label={texts.title}>
      <ListHead address={address} input={input} />
      <EntryFilters address={address} />
      {news.waiting > 0 && (
        <div className={styles.news}>
          <Button onClick={news.show}>{ui.newRows(news.waiting)}</Button>
        </div>
      )}
      <div className={styles.rows} onPointerEnter={() => news.hold(true)} onPointerLeave={() => news.hold(false)}>
        {rows.isPending && (
          <div className={styles.pad}>
            <Skeleton rows={12} />
          </div>
        )}
        {rows.error !== undefined && (
          <div className={styles.pad}>
            <ErrorState
              error={rows.error}
              onRetry={refresh}
              call={{ name: 'entries.list', input: input as Record<string, unknown> }}
            />
          </div>
        )}
        {rows.error === undefined && isEmpty && <NoEntry address={address} />}
        {rows.error === undefined && !rows.isPending && rows.count > 0 && (
          <RowList
            key={rows.id}
            label={texts.title}
            count={rows.hasMore ? rows.count + 1 : rows.count}
            rowPx={ROW_PX}
            selected={selected}
            onRange={onRange}
            onOpen={open}
            row={(index) => <Row entry={rows.rowAt(index)} under={listPath} now={now} />}
          />
        )}
      </div>
    </section>
  );
}

/** The place of the entry that is shown, near the top of the list. */
const LOOKED_AT = 2_000;
function selectedIn(
  rows: { count: number; rowAt: (index: number) => ListedRow | undefined },
  { entity_path, key }: { entity_path: string; key: string },
): number | undefined {
  for (let i = 0; i < Math.min(rows.count, LOOKED_AT); i++) {
    const row = rows.rowAt(i);
    if (row?.key === key && row.entity_path === entity_path) return i;
  }
  return undefined;
}

/** Rows that stay in view while the list is scrolled are not drawn again. */
const Row = memo(EntryRow);

type EntryRowProps = { entry: ListedRow | undefined; under: string; now: number };

function EntryRow({ entry, under, now }: EntryRowProps) {
  if (!entry)
    return (
      // biome-ignore lint/a11y/useSemanticElements: a cell of the grid around it.
      // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus.
      <div role="gridcell" className={styles.row}>
        <span className="third small">{ui.loading}</span>
      </div>
    );
  const { entity_path, key, version, confidence, memory_type, provenance, evidence_status, effective_confidence } =
    entry;
  const below = entity_path === under ? '' : under === '' ? entity_path : entity_path.slice(under.length + 1);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a cell of the grid around it.
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus.
    <div role="gridcell" className={styles.row}>
      <Status status={evidence_status} wordless />
      <span className={styles.rowName}>
        <EntryName path={below} name={key} title={`${entity_path}/${key}`} />
      </span>
      <Confidence value={effective_confidence ?? confidence} />
      <span className={`${styles.rowNote} third small cut`}>
        {memory_type} <span>v{version}</span> <span>{provenance.agent_id}</span>
        {!entry.shared && <span>{texts.private}</span>}
        {entry.quarantined && <span className="warn">{texts.quarantined}</span>}
      </span>
      <time className="third small" dateTime={provenance.written_at} title={fullTimeOf(provenance.written_at)}>
        {ago(provenance.written_at, now)}
      </time>
    </div>
  );
}

type HeadProps = { address: MemoryAddress; input: Request<'entries.list'> };

function ListHead({ address, input }: HeadProps) {
  const { listPath, branch, toNew, entry, set } = address;
  const stats = useOperation('stats.read', onBranch(branch), { enabled: listPath === '' });
  const below = useCountBelow(listPath, branch);
  const count = listPath === '' ? stats.data?.total_entries : below?.entries;
  return (
    <div className={styles.paneHead}>
      <Button
        kind="quiet"
        icon="memory"
        className={styles.pathsButton}
        aria-label={memory.tree.title}
        onClick={() => set({ paths: true }, { replace: false })}
      />
      <h1 className={`${styles.listTitle} cut grow`} title={listPath}>
        {listPath === '' ? texts.everything : listPath}
      </h1>
      <span className="third small">
        {count !== undefined && number(count)}
        {below?.isMore && '+'}
      </span>
      <BranchMenu address={address} />
      {!entry && address.do === '' && (
        <CopyAs call={{ name: 'entries.list', input: input as Record<string, unknown> }} />
      )}
      <ButtonLink kind="ink" href={toNew()}>
        {texts.write}
      </ButtonLink>
    </div>
  );
}

function NoEntry({ address }: { address: MemoryAddress }) {
  const isFiltered = FILTERS.some((id) => address[id] !== '' && address[id] !== false);
  if (isFiltered)
    return (
      <div className={styles.pad}>
        <EmptyState
          title={texts.noMatch}
          actions={<Button onClick={() => address.set(NO_FILTERS)}>{ui.clearFilters}</Button>}
        />
      </div>
    );
  const example = {
    entity_path: address.listPath === '' ? 'checkout/payments' : address.listPath,
    key: 'retry-policy',
    value: { max_attempts: 3 },
    ...onBranch(address.branch),
  };
  return (
    <div className={styles.pad}>
      <EmptyState
        title={address.listPath === '' ? texts.nothing : texts.nothingHere(address.listPath)}
        actions={
          <>
            <ButtonLink href={address.toNew()}>{texts.writeFirst}</ButtonLink>
            <CopyAs call={{ name: 'entries.write', input: example }} />
          </>
        }
      >
        <p className="second">{texts.nothingHint}</p>
        <CallCode label={texts.writeFirst} calls={[{ name: 'entries.write', input: example }]} />
      </EmptyState>
    </div>
  );
}
