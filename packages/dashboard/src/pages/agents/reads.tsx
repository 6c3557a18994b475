import type { Output } from '../../data/client.ts';
import { useOperation } from '../../data/query.ts';
import { hrefOf } from '../../router/address.ts';
import { agents } from '../../texts/agents.ts';
import { Section } from '../../ui/section.tsx';
import { Loaded } from '../../ui/states.tsx';
import { CountedList } from './counted-list.tsx';

type AgentMemory = Output<'agents.memory_graph'>;
const MOST = 6;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0);

const byCount = <T extends { count: number }>(items: readonly T[]): T[] =>
  items
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST);

const pathItem = (path: string, count: number) => ({ id: path, label: path, href: hrefOf('memory', path), count });

const readsOf = ({ nodes }: AgentMemory) =>
  byCount(nodes.map(({ entity_path, read_counts }) => pathItem(entity_path, sum(Object.values(read_counts)))));

const writesOf = ({ nodes }: AgentMemory) =>
  byCount(nodes.map(({ entity_path, written_entries }) => pathItem(entity_path, written_entries.length)));

const authorsOf = ({ cross_agent_reads }: AgentMemory) =>
  byCount(
    Object.entries(cross_agent_reads).map(([author, entries]) => ({
      id: author,
      label: author,
      href: hrefOf('agents', author),
      count: sum(entries.map(({ read_count }) => read_count)),
      isMono: false,
    })),
  );

/** Which paths an agent reads and writes, and whose entries it reads. */
export function Reads({ agent, brief = false }: { agent: string; brief?: boolean }) {
  const input = { agent_id: agent };
  const call = { name: 'agents.memory_graph' as const, input };
  const answer = useOperation('agents.memory_graph', input, { keepPrevious: false });
  return (
    <>
      <Section title={agents.reads.title}>
        <Loaded answer={answer} call={call}>
          {(memory) => <Items items={readsOf(memory)} nothing={agents.reads.nothing} />}
        </Loaded>
      </Section>
      {!brief && answer.data && (
        <>
          <Section title={agents.writes.title}>
            <Items items={writesOf(answer.data)} nothing={agents.writes.nothing} />
          </Section>
          <Section title={agents.reads.from}>
            <Items items={authorsOf(answer.data)} nothing={agents.reads.fromNothing} />
          </Section>
        </>
      )}
    </>
  );
}

function Items({ items, nothing }: { items: ReturnType<typeof readsOf>; nothing: string }) {
  return items.length === 0 ? <p className="third">{nothing}</p> : <CountedList items={items} />;
}
