import type { Output } from '../../data/client.ts';
import { usePages } from '../../data/query.ts';
import { numberParameter, textParameter, useSearch } from '../../router/router.tsx';
import { admin, auditTexts as texts } from '../../texts/admin.ts';
import { clockTime, day, fullTimeOf, number } from '../../texts/format.ts';
import { pageTitles } from '../../texts/pages.ts';
import { ui } from '../../texts/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/choices.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Facts } from '../../ui/section.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './admin.module.css';
import { AuditCheck, useChainCheck } from './audit-verify.tsx';
import { AdminBar, DetailHead, Panes } from './panes.tsx';

type AuditLine = Output<'audit.list'>['entries'][number];

const FILTERS = ['action', 'actor', 'resource', 'since', 'until'] as const;
const parameters = {
  action: textParameter(),
  actor: textParameter(),
  resource: textParameter(),
  since: textParameter(),
  until: textParameter(),
  line: numberParameter(0),
};

/** Who changed what, and whether the trail is as it was written. */
export function AuditPage() {
  const [search, set] = useSearch(parameters);
  const chain = useChainCheck();
  const filters = Object.fromEntries(FILTERS.flatMap((name) => (search[name] === '' ? [] : [[name, search[name]]])));
  const input = { limit: 100, ...filters };
  const call = { name: 'audit.list' as const, input };
  const pages = usePages('audit.list', input);
  const lines = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  const shown = lines.find(({ no }) => no === search.line);
  const clear = () => set({ action: '', actor: '', resource: '', since: '', until: '' });
  return (
    <Panes
      {...(shown
        ? {
            detail: (
              <LineDetail
                line={shown}
                onClose={() => set({ line: 0 })}
                onFilter={(change) => set({ ...change, line: 0 })}
              />
            ),
          }
        : {})}
    >
      <AdminBar title={pageTitles.audit}>
        <Button icon="shield" busy={chain.check?.state === 'running'} onClick={() => void chain.start()}>
          {texts.verify}
        </Button>
        {/* Each look is a line of the trail, so that it is loaded again only where somebody asks for it. */}
        <Button busy={pages.isFetching} onClick={() => void pages.refetch()}>
          {admin.refresh}
        </Button>
        <CopyAs call={call} short />
      </AdminBar>
      <AuditCheck chain={chain} newest={isFiltered ? undefined : lines[0]?.no} />
      <div className={styles.filters}>
        {FILTERS.map((name) => (
          <Field key={name} label={texts.filters[name]}>
            {(field) => (
              <input
                {...field}
                {...(name === 'action' ? { 'data-page-search': true } : {})}
                type={name === 'since' || name === 'until' ? 'date' : 'text'}
                autoComplete="off"
                spellCheck={false}
                // Asked once it is whole: each look is a line of the trail.
                key={search[name]}
                defaultValue={search[name]}
                onKeyDown={(event) => event.key === 'Enter' && set({ [name]: event.currentTarget.value.trim() })}
                onBlur={({ target }) => target.value.trim() !== search[name] && set({ [name]: target.value.trim() })}
              />
            )}
          </Field>
        ))}
        {isFiltered && <Button onClick={clear}>{texts.clear}</Button>}
      </div>
      <div className={`${styles.body} edges`}>
        <Loaded answer={{ ...pages, data: pages.data?.pages[0] }} rows={8} call={call}>
          {() =>
            lines.length === 0 ? (
              <div className={styles.note}>
                <EmptyState
                  title={isFiltered ? texts.nothing : texts.empty}
                  actions={isFiltered && <Button onClick={clear}>{ui.clearFilters}</Button>}
                />
              </div>
            ) : (
              <Table
                label={pageTitles.audit}
                columns={COLUMNS}
                rows={lines}
                keyOf={({ no }) => no}
                selected={search.line}
                onOpen={({ no }) => set({ line: no })}
              />
            )
          }
        </Loaded>
        {pages.hasNextPage && (
          <div className={styles.foot}>
            <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
              {admin.more}
            </Button>
            <span className="third small">{number(lines.length)}</span>
          </div>
        )}
      </div>
    </Panes>
  );
}

const actorOf = ({ key_name, actor }: AuditLine): string => key_name ?? actor;

const COLUMNS: Column<AuditLine>[] = [
  {
    id: 'no',
    head: texts.columns.no,
    width: 76,
    phone: 'hide',
    cell: ({ no }) => <span className="third">{number(no)}</span>,
  },
  {
    id: 'at',
    head: texts.columns.at,
    width: 126,
    phone: 'time',
    cell: ({ at }) => (
      <span className="mono third" title={fullTimeOf(at)}>
        {day(at)} {clockTime(at)}
      </span>
    ),
  },
  {
    id: 'action',
    head: texts.columns.action,
    width: 196,
    phone: 'name',
    cell: ({ action }) => <span className="strong">{action}</span>,
  },
  {
    id: 'resource',
    head: texts.columns.resource,
    phone: 'detail',
    cell: ({ resource }) => (
      <span className="mono second" title={resource}>
        {resource}
      </span>
    ),
  },
  {
    id: 'actor',
    head: texts.columns.actor,
    width: 130,
    phone: 'value',
    cell: (line) => <span title={line.actor}>{actorOf(line)}</span>,
  },
  {
    id: 'agent',
    head: texts.columns.agent,
    width: 140,
    phone: 'hide',
    cell: ({ agent_id }) => <span className="second">{agent_id}</span>,
  },
  {
    id: 'from',
    head: texts.columns.from,
    width: 104,
    end: true,
    phone: 'hide',
    cell: ({ ip_address }) => <span className="third small">{ip_address}</span>,
  },
];

type LineDetailProps = {
  line: AuditLine;
  onClose: () => void;
  onFilter: (change: { actor?: string; resource?: string }) => void;
};

function LineDetail({ line, onClose, onFilter }: LineDetailProps) {
  const { facts } = texts;
  const hash = (text: string | null) => <span className={styles.hash}>{text}</span>;
  const all: [string, React.ReactNode, unknown][] = [
    [facts.at, fullTimeOf(line.at), line.at],
    [facts.action, line.action, line.action],
    [
      facts.resource,
      <span key="r" className="mono">
        {line.resource}
      </span>,
      line.resource,
    ],
    [facts.actor, line.actor, line.actor],
    [facts.key, line.key_name, line.key_name],
    [facts.user, line.user, line.user],
    [facts.agent, line.agent_id, line.agent_id],
    [facts.address, line.ip_address, line.ip_address],
    [facts.request, hash(line.request_id), line.request_id],
    [facts.before, hash(line.before_hash), line.before_hash],
    [facts.after, hash(line.after_hash), line.after_hash],
    [facts.hash, hash(line.hash), line.hash],
  ];
  return (
    <>
      <DetailHead title={texts.line(line.no)} onClose={onClose} />
      <div className={styles.part}>
        <Facts facts={all.filter(([, , given]) => given).map(([name, value]) => ({ name, value }))} />
      </div>
      <div className={styles.foot}>
        <Button onClick={() => onFilter({ actor: line.actor })}>{texts.same}</Button>
        <Button onClick={() => onFilter({ resource: line.resource })}>{texts.sameResource}</Button>
      </div>
    </>
  );
}
