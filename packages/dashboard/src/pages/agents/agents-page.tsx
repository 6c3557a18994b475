import type { PageProps } from '../../pages.ts';
import { AgentPage } from './agent-page.tsx';
import { Directory } from './directory.tsx';
import { GraphPane } from './graph/graph-pane.tsx';
import { useAgentsView } from './title-bar.tsx';

/** Everyone who works with this memory: as a table, as a graph, and one by one. */
export function AgentsPage({ rest }: PageProps) {
  const [view] = useAgentsView();
  if (rest !== '') return <AgentPage key={rest} agent={rest} />;
  return view === 'graph' ? <GraphPane /> : <Directory />;
}
