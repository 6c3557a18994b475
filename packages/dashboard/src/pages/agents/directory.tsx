import { useDeferredValue } from 'react';
import type { Output } from '../../data/client.ts';
import { useOperation, usePages } from '../../data/query.ts';
import { useNow } from '../../data/use-now.ts';
import { useRefreshOnEvents } from '../../data/use-refresh.ts';
import { hrefOf } from '../../router/address.ts';
import { navigate, textParameter, useSearch } from '../../router/router.tsx';
import { useCrumbs } from '../../shell/crumbs.ts';
import { agents } from '../../texts/agents.ts';
import { ago, confidence, fullTimeOf, number } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Tag } from '../../ui/marks.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Section } from '../../ui/section.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './agents.module.css';
import { firstCommand } from './first-command.ts';
import { TitleBar } from './title-bar.tsx';

type ListedAgent = Output<'agents.list'>['agents'][number];
type FoundAgent = Output<'agents.discover'>['agents'][number];

const texts = agents.directory;
const PAGE = 200;
const parameters = { q: textParameter() };

/** All agents as a table. */
export function Directory() {
  useCrumbs([{ label: agents.title }]);
  const [{ q }, set] = useSearch(parameters);
  const input = { limit: PAGE };
  const pages = usePages('agents.list', input);
  useRefreshOnEvents(['agents.list']);
  const listed = pages.data?.pages.flatMap((page) => page.agents) ?? [];
  const wanted = useDeferredValue(q.trim().toLowerCase());
  const shown = listed.filter(({ agent_id }) => agent_id.toLowerCase().includes(wanted));
  return (
    <>
      <TitleBar>
        <SearchField label={texts.filter} value={q} onChange={(next) => set({ q: next })} />
        <CopyAs call={{ name: 'agents.list', input }} short />
      </TitleBar>
      <div className={`${styles.body} edges`}>
        <Loaded answer={{ ...pages, data: pages.data?.pages[0] }} rows={8} call={{ name: 'agents.list', input }}>
          {() => (listed.length === 0 ? <Nobody /> : <Listed agents={shown} />)}
        </Loaded>
        {listed.length > 0 && shown.length === 0 && (
          <p className={styles.note}>
            {texts.noMatch} {pages.hasNextPage && texts.noMatchOf(listed.length)}
          </p>
        )}
        <div className={styles.foot}>
          {listed.length > 0 && <span className="third small">{texts.count(listed.length, pages.hasNextPage)}</span>}
          {pages.hasNextPage && (
            <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
              {texts.more}
            </Button>
          )}
        </div>
        {wanted !== '' && <Capable capability={wanted} />}
      </div>
    </>
  );
}

const open = ({ agent_id }: { agent_id: string }) => navigate(hrefOf('agents', agent_id));

function Listed({ agents: listed }: { agents: readonly ListedAgent[] }) {
  const now = useNow();
  if (listed.length === 0) return null;
  const columns: Column<ListedAgent>[] = [
    {
      id: 'agent',
      head: texts.columns.agent,
      width: 240,
      phone: 'name',
      cell: ({ agent_id }) => (
        <a href={hrefOf('agents', agent_id)} className="strong" title={agent_id} tabIndex={-1}>
          {agent_id}
        </a>
      ),
    },
    {
      id: 'description',
      head: texts.columns.description,
      phone: 'detail',
      cell: ({ description }) => (
        <span className="second" title={description ?? undefined}>
          {description}
        </span>
      ),
    },
    { id: 'platform', head: texts.columns.platform, width: 110, phone: 'hide', cell: ({ platform }) => platform },
    { id: 'tags', head: texts.columns.tags, width: 160, phone: 'hide', cell: ({ tags }) => <Tags tags={tags} /> },
    {
      id: 'entries',
      head: texts.columns.entries,
      width: 76,
      end: true,
      phone: 'value',
      isNamed: true,
      cell: ({ entries_written }) => number(entries_written),
    },
    {
      id: 'since',
      head: texts.columns.since,
      width: 92,
      end: true,
      phone: 'hide',
      cell: ({ created_at }) => <When at={created_at} now={now} />,
    },
    {
      id: 'active',
      head: texts.columns.active,
      width: 110,
      end: true,
      phone: 'time',
      cell: ({ last_active }) => (last_active === null ? texts.never : <When at={last_active} now={now} />),
    },
  ];
  return (
    <Table label={agents.title} columns={columns} rows={listed} keyOf={({ agent_id }) => agent_id} onOpen={open} />
  );
}

const When = ({ at, now }: { at: string; now: number }) => (
  <span className="second small" title={fullTimeOf(at)}>
    {ago(at, now)}
  </span>
);

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="line" title={tags.join(', ')}>
      {tags.slice(0, 3).map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  );
}

/** Who declared that they can do it. */
function Capable({ capability }: { capability: string }) {
  const input = { capability, limit: 20 };
  const found = useOperation('agents.discover', input);
  const matches = found.data?.agents ?? [];
  if (matches.length === 0) return null;
  const columns: Column<FoundAgent>[] = [
    {
      id: 'agent',
      head: texts.columns.agent,
      width: 240,
      phone: 'name',
      cell: ({ agent_id }) => <span className="strong">{agent_id}</span>,
    },
    {
      id: 'why',
      head: texts.why,
      phone: 'detail',
      cell: ({ why }) => (
        <span className="second" title={why.join('\n')}>
          {why.join(', ')}
        </span>
      ),
    },
    {
      id: 'score',
      head: texts.score,
      width: 80,
      end: true,
      phone: 'value',
      cell: ({ score }) => confidence(score),
    },
  ];
  return (
    <Section
      title={texts.found}
      note={texts.foundNote}
      bleed
      actions={<CopyAs call={{ name: 'agents.discover', input }} />}
    >
      <Table label={texts.found} columns={columns} rows={matches} keyOf={({ agent_id }) => agent_id} onOpen={open} />
    </Section>
  );
}

function Nobody() {
  return (
    <div className={styles.note}>
      <EmptyState title={texts.nothing}>
        <p className="second">{texts.nothingHint}</p>
        <Code label={texts.command} text={firstCommand()} copy wrap />
      </EmptyState>
    </div>
  );
}
