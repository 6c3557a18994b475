import type { Output } from '@mem-service/contract';
import type { Item } from './columns.ts';
import { outcomeText } from './outcome-name.ts';
import { attributesText, sessionNodes } from './session.ts';
import { paint, type Screen, show, when } from './text.ts';
import { type Node, tree } from './tree.ts';

/** What a session read and did, as a tree. */
export function explain(item: Item, screen: Screen): string {
  const told = item as Output<'sessions.explain'>;
  const attributes = attributesText(told.attributes);
  const nodes: Node[] = [
    ...sessionNodes(told, screen),
    ...(attributes === '' ? [] : [{ text: `attributes ${attributes}` }]),
    ...(told.truncated ? [{ text: paint(screen, 'yellow', 'the session held more than is kept') }] : []),
  ];
  const name = told.session_id === null ? 'session' : `session ${paint(screen, 'bold', show(told.session_id))}`;
  const head = `${name} of ${paint(screen, 'cyan', show(told.agent_id))}: ${stateText(told, screen)}`;
  return tree(head, nodes.length === 0 ? [{ text: 'nothing was read or recorded yet' }] : nodes, screen);
}

function stateText(told: Output<'sessions.explain'>, screen: Screen): string {
  const { status, session_started_at, outcome_ref, outcome_type, trace_id } = told;
  if (status === 'open') return session_started_at === null ? 'open' : `open since ${when(session_started_at)}`;
  return `sealed, ${outcomeText(outcome_ref, outcome_type, screen)}, trace ${paint(screen, 'yellow', show(trace_id))}`;
}
