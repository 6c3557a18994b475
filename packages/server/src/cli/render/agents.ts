import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { entryLabel } from './entry.ts';
import { counted, rounded } from './numbers.ts';
import { paint, type Screen, show, when } from './text.ts';
import { branch, type TreeNode, tree } from './tree.ts';

type MemoryGraphAnswer = Output<'agents.memory_graph'>;
type ReadsByAuthor = MemoryGraphAnswer['cross_agent_reads'];

const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);

/** What an agent wrote and read, by path. */
export function memoryGraph(item: AnswerItem, screen: Screen): string {
  const { agent_id, nodes, total_written, total_reads, cross_agent_reads, truncated } = item as MemoryGraphAnswer;
  const written = `wrote ${counted(total_written, 'entry', 'entries')}`;
  const read = total_reads === 0 ? '' : `, read ${times(total_reads)}`;
  const head = `${paint(screen, 'cyan', show(agent_id))}: ${written}${read}`;
  return tree(
    head,
    [
      ...nodes.flatMap((node) => branch(paint(screen, 'cyan', show(node.entity_path)), pathNodes(node, screen))),
      ...authorNodes(cross_agent_reads, screen),
      ...truncatedNodes(truncated, screen),
    ],
    screen,
  );
}

function pathNodes({ written_entries, read_counts }: MemoryGraphAnswer['nodes'][number], screen: Screen): TreeNode[] {
  const own = new Set(written_entries.map(({ key }) => key));
  const readText = (key: string) => (read_counts[key] === undefined ? '' : `read ${times(read_counts[key])}`);
  const line = (key: string, ...parts: string[]): TreeNode => ({
    text: [paint(screen, 'bold', show(key)), ...parts].filter((part) => part !== '').join('  '),
  });
  const written = written_entries.map(({ key, version, confidence, memory_type, written_at }) =>
    line(key, `v${version}`, `${rounded(confidence)} ${memory_type}`, `written ${when(written_at)}`, readText(key)),
  );
  const read = Object.keys(read_counts).filter((key) => !own.has(key));
  return [...written, ...read.map((key) => line(key, readText(key)))];
}

const authorNodes = (byAuthor: ReadsByAuthor, screen: Screen): TreeNode[] =>
  Object.entries(byAuthor).flatMap(([author, entries]) =>
    branch(
      `read of ${paint(screen, 'cyan', show(author))}`,
      entries.map((entry) => ({ text: `${entryLabel(entry, screen)}  ${times(entry.read_count)}` })),
    ),
  );

const truncatedNodes = (truncated: boolean, screen: Screen): TreeNode[] =>
  truncated ? [{ text: paint(screen, 'yellow', 'there is more than was looked at') }] : [];

export function crossAgentReads(item: AnswerItem, screen: Screen): string {
  const {
    agent_id,
    reads_from,
    total_cross_agent_reads: total,
    truncated,
  } = item as Output<'agents.cross_agent_reads'>;
  const who = paint(screen, 'cyan', show(agent_id));
  if (total === 0) return `${who} has read nothing of others\n`;
  const nodes = [...authorNodes(reads_from, screen), ...truncatedNodes(truncated, screen)];
  return tree(`${who} has read others ${times(total)}`, nodes, screen);
}

/** Best match first, each with its reasons. */
export function discovered(item: AnswerItem, screen: Screen): string {
  const { agents, truncated } = item as Output<'agents.discover'>;
  if (agents.length === 0) return 'no agent matches\n';
  const found = agents.map(({ agent_id, score, description, why }) => {
    const about = description === null || description === '' ? '' : `: ${show(description)}`;
    const head = `${paint(screen, 'cyan', show(agent_id))} ${rounded(score)}${about}`;
    return tree(
      head,
      why.map((reason) => ({ text: show(reason) })),
      screen,
    );
  });
  return found.join('') + (truncated ? `${paint(screen, 'yellow', 'not every profile was looked at')}\n` : '');
}
